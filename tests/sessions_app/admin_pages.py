"""Where the admin's pages of our tables are."""

from django.contrib import admin
from django.db.models import Model
from django.urls import reverse

OURS = [table for table in admin.site._registry if table.__module__.split(".")[0].endswith("_app")]


def list_page(table: type[Model]) -> str:
    return reverse(f"admin:{table._meta.app_label}_{table._meta.model_name}_changelist")


def row_page(row: Model, action: str = "change") -> str:
    name = f"admin:{row._meta.app_label}_{row._meta.model_name}_{action}"
    return reverse(name, args=[row.pk])
