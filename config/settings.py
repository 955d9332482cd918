"""All settings, from the environment (see README). Starts without any file; a bad value is loud."""

import os
from pathlib import Path

import django_stubs_ext
from csp.constants import NONE, SELF

from config import env
from config.databases import database
from config.secret import secret_key
from config.translations import compiled

django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
VAR = env.folder("VAR_DIR", BASE_DIR / "var")
os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(VAR / "tiktoken"))

# Where `quickstart` listens; other servers are told by their own options.
HOST = env.text("HOST", "127.0.0.1")
PORT = env.integer("PORT", 8000, minimum=1, maximum=65_535)
DEMO = env.boolean("DEMO", default=False)  # `quickstart` sets it: this checkout may be a workspace

DEBUG = env.boolean("DEBUG", default=False)
SECRET_KEY = secret_key(VAR / "secret_key")
LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
ALLOWED_HOSTS = env.hosts("ALLOWED_HOSTS", LOCAL_HOSTS)
CSRF_TRUSTED_ORIGINS = env.origins("CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "daphne",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "channels",
    "rest_framework",
    "rest_framework.authtoken",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "memory_app",
    "compaction_app",
    "sessions_app",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "config.static_files.StaticFiles",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# -- data

SQLITE_SYNCHRONOUS = env.choice("SQLITE_SYNCHRONOUS", "NORMAL", ["NORMAL", "FULL"])
DATABASES = {"default": database(base=BASE_DIR, var=VAR, synchronous=SQLITE_SYNCHRONOUS)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SILENCED_SYSTEM_CHECKS = ["fields.W163"]  # db_comment is for MySQL; SQLite has none

REDIS_URL = env.url("REDIS_URL", schemes=["redis", "rediss", "unix"])
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL]},
    }
    if REDIS_URL
    else {"BACKEND": "channels.layers.InMemoryChannelLayer"}
}

# -- people

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/accounts/login/"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_VERBOSE = False
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

# -- language, time, static files

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [compiled(BASE_DIR / "locale", VAR / "locale")]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "/static/"
STATIC_ROOT = VAR / "static"
STATIC_ROOT.mkdir(exist_ok=True)  # WhiteNoise warns of a folder that is not there
WHITENOISE_USE_FINDERS = True  # served from the apps: nothing to collect before the first start

# -- REST

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.TokenAuthentication",  # first: else 401 becomes 403
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["sessions_app.api.rendering.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["sessions_app.api.parsing.StrictJSONParser"],
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.UserRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {"user": "200/second"},
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "sessions_app.api_errors.exception_handler",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Vitrine",
    "DESCRIPTION": "Sessions, messages, requests and their context.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/v1",  # operations are grouped by what follows
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "ENUM_NAME_OVERRIDES": {"CompactionTierEnum": ["light", "standard", "heavy"]},
}

# -- models, runs, compaction

OPENAI_MODEL = env.text("OPENAI_MODEL", "gpt-4.1")
OPENAI_BASE_URL = env.url("OPENAI_BASE_URL", schemes=["http", "https"])
ANTHROPIC_MODEL = env.text("ANTHROPIC_MODEL", "claude-sonnet-4-5")
ANTHROPIC_BASE_URL = env.url("ANTHROPIC_BASE_URL", schemes=["http", "https"])
MODEL_WINDOW_TOKENS = env.optional_integer("MODEL_WINDOW_TOKENS")
MODEL_CONCURRENCY = env.integer("MODEL_CONCURRENCY", 64, minimum=1)
MODEL_CONNECT_TIMEOUT_S = env.seconds("MODEL_CONNECT_TIMEOUT_S", 10)
MODEL_FIRST_TOKEN_TIMEOUT_S = env.seconds("MODEL_FIRST_TOKEN_TIMEOUT_S", 300)
MODEL_CHUNK_TIMEOUT_S = env.seconds("MODEL_CHUNK_TIMEOUT_S", 120)
MODEL_TOTAL_TIMEOUT_S = env.seconds("MODEL_TOTAL_TIMEOUT_S", 1800)
MAX_ROUNDS = env.integer("MAX_ROUNDS", 100, minimum=1)
LEASE_S = env.seconds("LEASE_S", 30)
SWEEP_INTERVAL_S = 5.0  # how often executions that died are looked for
RUN_WORKERS = env.choice("RUN_WORKERS", "inline", ["inline"])
MAX_SOCKETS_PER_USER = env.integer("MAX_SOCKETS_PER_USER", 20, minimum=20)  # in one process

COMPACTION_ENABLED = env.boolean("COMPACTION_ENABLED", default=True)
COMPACTION_TRIGGER_RATIO = env.ratio("COMPACTION_TRIGGER_RATIO", 0.8)
COMPACTION_MID_LOOP = env.boolean("COMPACTION_MID_LOOP", default=True)
COMPACTION_TIER = env.choice("COMPACTION_TIER", "standard", ["light", "standard", "heavy"])
COMPACTION_MAX_SUMMARY_TOKENS = env.integer("COMPACTION_MAX_SUMMARY_TOKENS", 12_000, minimum=1)
COMPACTION_WINDOW_TOKENS = env.integer("COMPACTION_WINDOW_TOKENS", 128_000)
COMPACTION_MODEL = env.text("COMPACTION_MODEL")

WORKSPACE_ROOTS = env.folders("WORKSPACE_ROOTS", VAR / "workspaces", base=BASE_DIR)
if DEMO:
    WORKSPACE_ROOTS.append(BASE_DIR)
SHELL_TOOL = env.choice("SHELL_TOOL", "sandbox", ["sandbox", "host", "off"])

# -- logs

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {
        "handlers": ["console"],
        "level": env.choice("LOG_LEVEL", "WARNING", ["DEBUG", "INFO", "WARNING", "ERROR"]),
    },
}
