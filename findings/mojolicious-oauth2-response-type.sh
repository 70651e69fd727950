#!/usr/bin/env bash
# Mojolicious::Plugin::OAuth2 sends people to a provider without response_type, which RFC 6749 section 4.1.1
# requires: neither by authorize_url nor by well_known_url is it there, while the providers of its own list
# have it within their address. So the manual's way to add one ends in invalid_request. Seen in 2.02 of Debian 12.
# What helps: authorize_query => {response_type => "code"}, or the same at the end of authorize_url.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 . # apt-get downloads as another user
apt-get download -qq libmojolicious-plugin-oauth2-perl=2.02-1 libmojolicious-perl=9.31+dfsg-1 libmojo-jwt-perl=0.09-1 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
find . -xtype l -delete # scripts for browsers, of other packages

cat >seen.pl <<'PERL'
use Mojolicious::Lite -signatures;
app->log->level("fatal");
get "/discovery" => {json => {issuer => "i", authorization_endpoint => "https://id.example/authorize", jwks_uri => "/keys"}};
get "/keys" => {json => {keys => []}};
my $ua = Mojo::UserAgent->new;
$ua->server->app(app);
plugin OAuth2 => {ua => $ua, providers => {
  google => {key => "app", secret => "s"},
  own => {key => "app", secret => "s", authorize_url => "https://id.example/authorize"},
  found => {key => "app", secret => "s", well_known_url => "/discovery"},
}};
for my $name ("google", "own", "found") {
  my $url = app->build_controller->oauth2->auth_url($name => {scope => "openid", redirect_uri => "https://app.example/cb", state => "s"});
  printf "%s: %s\n", $name, $url->query->param("response_type") // "no response_type";
}
my $url = app->build_controller->oauth2->auth_url(own => {redirect_uri => "https://app.example/cb", authorize_query => {response_type => "code"}});
printf "own, by authorize_query: %s\n", $url->query->param("response_type");
PERL
got=$(PERL5LIB=$PWD/usr/share/perl5 perl seen.pl)
want='google: code
own: no response_type
found: no response_type
own, by authorize_query: code'
printf 'Mojolicious::Plugin::OAuth2 2.02\n%s\n' "$got"
[[ $got == "$want" ]] || { printf 'seen before:\n%s\n' "$want"; exit 1; }
