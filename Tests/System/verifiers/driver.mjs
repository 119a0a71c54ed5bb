// Calls the JavaScript of docs/verify.md. Each input line is a call, each output line its result.

import { createInterface } from "node:readline";
import * as snippet from "./snippet.mjs";

const calls = {
  verify: ({ token, keys, issuer, audience, now }) => snippet.verify(token, keys, issuer, audience, now).sub,

  fetch: ({ service }) => snippet.fetchKeys(service),

  async verifyWithCache({ service, token, issuer, audience }) {
    const cache = new snippet.KeyCache(service);
    await cache.keysFor(token);
    return snippet.verify(token, await cache.keysFor(token), issuer, audience).sub;
  },

  async cache({ steps }) {
    let current;
    let fetches;
    const fetch = async (service) => {
      fetches += 1;
      if (service !== "the service" || !current.answer) throw new Error("down");
      return current.answer;
    };
    const cache = new snippet.KeyCache("the service", fetch, () => current.now);
    const seen = [];
    for (const step of steps) {
      [current, fetches] = [step, 0];
      const keys = await cache.keysFor(step.token).catch((error) => {
        if (error.status !== 503) throw error;
        return null;
      });
      seen.push({ fetches, keys: keys?.map((key) => key.kid) ?? null });
    }
    return seen;
  },

  // Counts the fetches for concurrent callers, and the callers that get keys.
  async stampede({ token, keys, callers }) {
    let fetches = 0;
    const fetch = async () => {
      fetches += 1;
      return { keys, maxAge: 3600 };
    };
    let seconds = 0;
    // The clock advances between two reads by more than the minimum time between fetches, so a second fetch is allowed.
    const cache = new snippet.KeyCache("the service", fetch, () => (seconds += 40));
    const answers = await Promise.all(Array.from({ length: callers }, () => cache.keysFor(token)));
    return { fetches, served: answers.filter((answer) => answer === keys).length };
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
