// A site of Django with nothing but a sign-in, from the settings.py that the dashboard shows.
import { command, path, start, write } from "./lab.mjs";

/** Starts it at a port, or has run do so; urls are more of its urlpatterns. Its page says whose address is signed in. */
export async function django(port, { apps, middleware = [], backends, settings = "", urls, run = start }) {
  const list = (names) => JSON.stringify(names);
  write({
    "site_settings.py": `from settings import *

SECRET_KEY, DEBUG, ALLOWED_HOSTS, ROOT_URLCONF, USE_TZ = "s", True, ["*"], "site_urls", True
INSTALLED_APPS = ${list(["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages", ...apps])}
MIDDLEWARE = ${list(["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware", "django.contrib.messages.middleware.MessageMiddleware", ...middleware])}
AUTHENTICATION_BACKENDS = ${list(backends)}
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "db.sqlite3"}}
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS": {"context_processors": ["django.template.context_processors.request", "django.contrib.auth.context_processors.auth", "django.contrib.messages.context_processors.messages"]}}]
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
LOGIN_REDIRECT_URL = LOGOUT_REDIRECT_URL = "/"
${settings}
`,
    "site_urls.py": `from django.http import HttpResponse
from django.shortcuts import render
from django.template import engines
from django.urls import include, path

def who(request):
    return HttpResponse(engines["django"].from_string('<p>{{ user.email|default:"nobody" }}</p>{% csrf_token %}').render({"user": request.user}, request))

urlpatterns = [path("", who), ${urls}]
`,
  });
  const python = path("venv/bin/python"), env = { DJANGO_SETTINGS_MODULE: "site_settings", PYTHONPATH: path() };
  await command(python, ["-m", "django", "migrate", "-v0"], { env });
  await run(python, ["-m", "django", "runserver", "--noreload", `localhost:${port}`], `http://localhost:${port}/`, { env });
}
