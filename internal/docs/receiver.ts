// A receiver of corridor's webhooks, for Node 20 and later, without dependencies:
//
//   npm install typescript @types/node && npx tsc --target es2022 --module nodenext --types node receiver.ts
//   WEBHOOK_SECRETS=whsec_…,whsec_… PORT=8090 node receiver.js
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

interface Event {
  id: string;
  type: string;
  timestamp: string; // of the event, RFC 3339
  clientId: string;
  data: Record<string, unknown>;
}

const tolerance = 5 * 60; // seconds before or after now
const maxBody = 1 << 20; // bytes
const secrets = (process.env.WEBHOOK_SECRETS ?? "").split(",").map(parseSecret); // two while one replaces the other
const done = new Set<string>(); // stands for a table whose primary key is the event's id

function parseSecret(text: string): Buffer {
  const encoded = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(text.trim())?.[1] ?? "";
  const secret = Buffer.from(encoded, "base64");
  if (secret.length < 24 || secret.length > 64) {
    throw new Error("WEBHOOK_SECRETS must be whsec_ and 24 to 64 bytes in base64, separated by commas");
  }
  return secret;
}

// isSigned reports whether one of the signatures is by one of the secrets, and recent.
function isSigned(id: string, timestamp: string, signatures: string, body: Buffer): boolean {
  const age = Date.now() / 1000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || Math.abs(age) > tolerance) {
    return false;
  }
  const given = signatures.split(" ").filter((s) => s.startsWith("v1,")).map((s) => Buffer.from(s.slice(3), "base64"));
  return secrets.some((secret) => {
    const right = createHmac("sha256", secret).update(`${id}.${timestamp}.`).update(body).digest();
    return given.some((s) => s.length === right.length && timingSafeEqual(s, right));
  });
}

// receive returns the status to answer with: 204 only after it has acted on the event, because the sender delivers it
// again after any other.
async function receive(request: IncomingMessage): Promise<number> {
  const header = (name: string) => String(request.headers[name] ?? "");
  const body = await read(request);
  if (body === undefined) {
    return 413;
  }
  const id = header("webhook-id");
  if (!isSigned(id, header("webhook-timestamp"), header("webhook-signature"), body)) {
    return 401;
  }
  const event: Event = JSON.parse(body.toString("utf8")); // only now: the signature is of the bytes
  // No other request runs between has and add, because act does not wait. If yours waits, the table must reject a repeated id.
  if (!done.has(id)) {
    act(event); // with a database, insert the id and act in one transaction; if the id is there, there is nothing to do
    done.add(id);
  }
  return 204;
}

// read returns the body, or undefined if it is too long; it does not keep the rest.
async function read(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= maxBody) {
      chunks.push(chunk);
    }
  }
  return length <= maxBody ? Buffer.concat(chunks) : undefined;
}

function act(event: Event): void {
  console.log("act on", event.type, event.id);
}

const server = createServer((request, response) => {
  receive(request)
    .catch(() => 500) // the event comes again
    .then((status) => response.writeHead(status).end());
});
server.listen(Number(process.env.PORT ?? 8090), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
