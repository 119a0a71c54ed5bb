// Calls Examples/JavaScript/session-verifier.mjs. Each input line is a call, each output line its result.

import { createInterface } from "node:readline";
import * as module from "./session-verifier.mjs";

const encoded = (keys) => new TextEncoder().encode(JSON.stringify({ keys }));

function verifierFor({ keys, issuer, audience, now, resource, secret }) {
  const fetch = async () => ({ body: encoded(keys), maxAge: null });
  return new module.SessionVerifier("https://keys.example", audience, {
    issuer,
    resources: resource ? [resource] : [],
    keys: new module.KeyCache("https://keys.example", { fetch, clock: () => now }),
    nonces: secret && new module.Nonces(Buffer.from(secret, "hex"), resource),
    now: () => now,
  });
}

const calls = {
  async verify(call) {
    const verifier = verifierFor(call);
    await verifier.verifyToken(call.token);
    return (await verifier.verify("GET", "/", `Bearer ${call.token}`, [])).sub;
  },

  // Sends requests to one verifier and returns the result of each one: the user, or the reason and the response.
  async requests(call) {
    const verifier = verifierFor(call);
    const results = [];
    for (const { method, target, authorization, proofs, now = call.now } of call.requests) {
      verifier.now = () => now;
      try {
        results.push({ user: (await verifier.verify(method, target, authorization, proofs)).sub });
      } catch (error) {
        if (!(error instanceof module.Rejected)) throw error;
        results.push({ reason: error.reason, status: error.status, headers: error.headers });
      }
    }
    return results;
  },

  create({ service, resources }) {
    return new module.SessionVerifier(service, "app1234", { resources }).issuer;
  },

  async fetch({ service }) {
    const { body, maxAge } = await module.fetchKeys(service);
    return { keys: [...(await module.readKeySet(body)).keys()].sort(), maxAge };
  },

  async verifyWithCache({ service, token, issuer, audience }) {
    const verifier = new module.SessionVerifier(service, audience, { issuer });
    await verifier.verify("GET", "/", `Bearer ${token}`, []);
    return (await verifier.verify("GET", "/", `Bearer ${token}`, [])).sub;
  },

  async cache({ steps }) {
    let current;
    let fetches;
    let running;
    const answer = async () => {
      if (!current.answer) throw new Error("down");
      return { body: encoded(current.answer.keys), maxAge: current.answer.maxAge };
    };
    const fetch = () => {
      fetches += 1;
      return (running = answer());
    };
    const cache = new module.KeyCache("https://keys.example", { fetch, clock: () => current.now });
    const seen = [];
    for (const step of steps) {
      [current, fetches, running] = [step, 0, null];
      const outcome = await cache.key(step.kid).then((key) => key.kid, (error) => error.reason ?? String(error));
      // The answer of a call does not wait for a fetch in the background. The next step does.
      await running?.catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 20));
      seen.push({ fetches, outcome });
    }
    return seen;
  },

  // The service is down, and the callback for that throws. Returns what a caller gets from the old keys.
  async failingCallback({ kid, keys }) {
    let now = 0;
    const fetch = async () => {
      if (now > 0) throw new Error("down");
      return { body: encoded(keys), maxAge: 300 };
    };
    const onFailure = () => {
      throw new Error("no log");
    };
    const cache = new module.KeyCache("https://keys.example", { fetch, clock: () => now, onFailure });
    await cache.key(kid);
    now = 300;
    const found = await cache.key(kid);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return found.kid;
  },

  // Counts the fetches for concurrent callers, and the callers that get the key.
  async stampede({ kid, keys, callers }) {
    let fetches = 0;
    const fetch = async () => {
      fetches += 1;
      return { body: encoded(keys), maxAge: 3600 };
    };
    const cache = new module.KeyCache("https://keys.example", { fetch, clock: () => 0 });
    const answers = await Promise.all(Array.from({ length: callers + 1 }, () => cache.key(kid)));
    return { fetches, served: answers.length };
  },

  // Reserves proofs in a memory of this capacity. Each one is its name, its end, its user and the time.
  async replays({ capacity, proofs }) {
    const memory = new module.ReplayMemory(capacity);
    const results = [];
    for (const proof of proofs) results.push(await memory.reserve(...proof).catch((error) => error.reason));
    return results;
  },

  normalize({ urls }) {
    return urls.map((url) => {
      const found = module.normalized(url);
      return found && [found.origin, found.path];
    });
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line);
  let answer;
  try {
    answer = { answer: await calls[call.call](call) };
  } catch (error) {
    answer = { refused: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
