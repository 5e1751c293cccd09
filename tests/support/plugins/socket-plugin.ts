import {pluginWith} from "./plugin-sources.ts"

/**
 * The source of a stand-in for a platform that connects by WebSocket: slot `line`, online once it has a connection. It
 * answers `auth` with the header that it received, `flood` with 40 times 512 KiB, `big` with 10 MB, and echoes
 * everything else. It notes the conversation in `notes.log`. The bot's messages go to the newest connection. An account
 * with `holds` outlives its connections.
 */
export const socketPlugin = pluginWith(`
    plugin.adapter("line", {
      history: "none",
      account: Type.Object({mark: Type.Optional(Type.String()), deaf: Type.Optional(Type.Boolean()), holds: Type.Optional(Type.Boolean())}),
      sockets: ({deaf}) => deaf !== true,
      webhook: async () => Response.json({}),
      open: async ({deaf, holds}: any, endpoint) => {
        let socket: any
        const ready = Promise.withResolvers<void>()
        endpoint.defer(() => ready.resolve())
        if (!deaf) endpoint.accept(request => {
          const key = new URL(request.url).searchParams.get("key")
          if (key === "throw") throw new Error("hunter22 in a message")
          if (key === "nothing") return undefined as any
          if (key !== "the-key") return Response.json({}, {status: 401})
          return {
            open: opened => {
              socket = opened
              opened.signal.addEventListener("abort", () => note("aborted"))
              ready.resolve()
            },
            message: async (data, from) => {
              if (data === "auth") return from.send(String(request.headers.get("authorization")))
              if (data === "leave") return from.close(4000, "as asked")
              if (data === "fail") throw new Error("hunter22 in a message")
              if (data === "big") return from.send("x".repeat(10_000_000))
              if (data === "never") return new Promise(() => {})
              if (data !== "flood") return from.send(data)
              for (let n = 1; n <= 40; n++) await from.send("x".repeat(512 * 1024)).then(() => note("flooded " + n))
            },
            close: ({code}) => {
              note("closed " + code)
              if (!holds) endpoint.lost(new Error("the connection was closed"))
            },
          }
        })
        else ready.resolve()
        await ready.promise
        return {send: async ({id, content}: any) => {
          await socket.send(content.join(""))
          return {ids: [id]}
        }}
      },
    })`)
