"""Django's command line: `python manage.py COMMAND`."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if "quickstart" in sys.argv[1:2]:
        os.environ.setdefault(
            "DEMO", "1"
        )  # before the settings are read: its session works on this checkout
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"{error}")  # it names the setting, the value and what is allowed
