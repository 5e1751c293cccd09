import {loadRuntime} from "../../../server/runtime/engines/load-runtime.ts"

/**
 * Only the socket seam, with echo hooks and no Host. Prints its port, then its sockets' events, one per line. With an
 * argument, it answers with a Response class that it took before it served.
 */
const tell = (line: string): void => {
  process.stdout.write(`${line}\n`)
}
const runtime = await loadRuntime()
const Early = process.argv.length > 2 ? Response : undefined
const flood = "x".repeat(256 * 1024)

const listener = await runtime.serve({
  host: "127.0.0.1",
  port: 0,
  fetch: async request => new (Early ?? Response)(`got ${await request.text().catch(String)}`, {status: 201}),
  fixed: {},
  connections: 1000,
  refuse: ({status, message}) => ({status, headers: {}, body: message}),
  socket: {
    upgrade: request => {
      if (request.headers.get("authorization") !== "Bearer socket-token") return new Response("no token", {status: 401})
      return {context: {}}
    },
    open: () => tell("open"),
    message: (peer, message) => {
      if (message.text() !== "flood") return void peer.send(message.rawData)
      for (let count = 0; count < 64; count++) peer.send(flood)
    },
    close: (_, {code}) => tell(`close ${code}`),
  },
})

process.once("SIGTERM", async () => {
  await listener.close(true)
  tell("closed")
  process.exit(0)
})
tell(`port ${listener.port}`)
