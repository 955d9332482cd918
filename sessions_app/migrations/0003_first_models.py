"""The models that are always there; those of the environment are offered when it names a key or a server."""

from django.db import migrations

ROWS = [
    {"name": "rehearsal", "provider": "rehearsal", "model_id": "rehearsal", "from_environment": True},
    {"name": "openai", "provider": "openai", "key_variable": "OPENAI_API_KEY", "from_environment": True},
    {"name": "anthropic", "provider": "anthropic", "key_variable": "ANTHROPIC_API_KEY",
     "from_environment": True},
]


def create(apps, schema_editor):
    model = apps.get_model("sessions_app", "ModelProfile")
    for row in ROWS:
        model.objects.get_or_create(name=row["name"], defaults=row)


class Migration(migrations.Migration):

    dependencies = [("sessions_app", "0002_session_memory_injection_disabled")]

    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
