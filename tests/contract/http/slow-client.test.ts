import {expect, test} from "vitest"
import {runtimes, startHost, type TestHost, until} from "../../support/host/host.ts"
import {openRaw} from "../../support/http/raw.ts"

/** Sends the start of a request, then one byte per second. Resolves when the Host closes the connection. */
const trickle = async (host: TestHost): Promise<unknown> => {
  const client = await openRaw(host, "GET /pub/ready HTTP/1.1\r\nHost: a\r\nX-Slow: ")
  const bytes = setInterval(() => client.socket.write("x"), 1000)
  return until("the Host to close the connection", () => client.isClosed).finally(() => clearInterval(bytes))
}

test("a client that never ends its headers is cut off without affecting others", async () => {
  const hosts = await Promise.all(runtimes.map(runtime => startHost({runtime})))
  const slow = hosts.map(trickle)
  for (const host of hosts) expect((await fetch(`${host.url}/pub/ready`)).status).toBe(200)
  await Promise.all(slow)
  for (const host of hosts) expect((await fetch(`${host.url}/pub/ready`)).status).toBe(200)
})
