"""A client of the Model Context Protocol without a client_id, over the SDK for Python. It prints where its
user is to go, reads where the user came back, and calls a tool: with a token, and once it has expired."""

import asyncio
import sys
from urllib.parse import parse_qs, urlparse

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

server, redirect_uri, document = sys.argv[1], sys.argv[2], sys.argv[3] or None


class Memory:
    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def leave(address):
    print("open", address, flush=True)


async def come_back():
    query = parse_qs(urlparse(sys.stdin.readline().strip()).query)
    return AuthorizationCodeResult(**{name: query[name][0] for name in ("code", "state", "iss") if name in query})


async def call(provider):
    async with httpx2.AsyncClient(auth=provider) as http, streamable_http_client(server, http_client=http) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            result = await session.call_tool("whoami", {})
            print("tool", result.content[0].text, flush=True)


async def main():
    memory = Memory()
    provider = OAuthClientProvider(
        server,
        OAuthClientMetadata(client_name="Code Helper", redirect_uris=[redirect_uri], grant_types=["authorization_code", "refresh_token"], response_types=["code"]),
        memory, leave, come_back, client_metadata_url=document,
    )
    await call(provider)
    former = memory.tokens.access_token
    provider.context.token_expiry_time = 1
    await call(provider)
    print("refreshed", former != memory.tokens.access_token, flush=True)


asyncio.run(main())
