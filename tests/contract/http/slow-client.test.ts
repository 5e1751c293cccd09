import {connect} from "node:net"
import {expect, test} from "vitest"
import {runtimes, startHost, type TestHost} from "../../support/host/host.ts"

/** Sends the start of a request, then one byte per second. Resolves when the Host closes the connection. */
const trickle = (host: TestHost, patience: number): Promise<"cut" | "still open"> =>
  new Promise(resolve => {
    const socket = connect(Number(new URL(host.url).port), "127.0.0.1", () =>
      socket.write("GET /pub/ready HTTP/1.1\r\nHost: a\r\nX-Slow: "),
    )
    const bytes = setInterval(() => socket.write("x"), 1000)
    const end = (how: "cut" | "still open") => {
      clearInterval(bytes)
      clearTimeout(limit)
      socket.destroy()
      resolve(how)
    }
    const limit = setTimeout(() => end("still open"), patience)
    socket.resume()
    socket.on("error", () => end("cut"))
    socket.on("close", () => end("cut"))
  })

test("a client that never ends its headers is cut off without affecting others", async () => {
  const hosts = await Promise.all(runtimes.map(runtime => startHost({runtime})))
  const slow = hosts.map(host => trickle(host, 60_000))
  for (const host of hosts) expect((await fetch(`${host.url}/pub/ready`)).status).toBe(200)
  expect(await Promise.all(slow)).toEqual(hosts.map(() => "cut"))
  for (const host of hosts) expect((await fetch(`${host.url}/pub/ready`)).status).toBe(200)
})
