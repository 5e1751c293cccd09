import {definePlugin} from "svc-runtime"

/** A plugin that answers each message through a platform that accepts it immediately, and reports the replies. */
export default definePlugin({
  setup(plugin) {
    let replied: string[] = []
    let write: ((text: string) => void) | undefined
    const flush = () => {
      write?.(replied.join(""))
      replied = []
    }
    plugin.adapter("sink", {
      history: "none",
      open: async () => ({
        send: async ({id, content}) => {
          if (replied.push(`${content.join("")}\n`) === 1) setImmediate(flush)
          return {ids: [id]}
        },
      }),
    })
    plugin.on("message-created", async session => {
      await session.send({endpoint: "sink", channel: session.channel?.id ?? ""}, session.text)
    })
    plugin.route({
      method: "GET",
      path: "/replies",
      scope: "full",
      summary: "The text of each reply when the platform gets it",
      stream: true,
      handle: () => {
        const encoder = new TextEncoder()
        let own: typeof write
        const body = new ReadableStream<Uint8Array>({
          start: controller => {
            own = text => controller.enqueue(encoder.encode(text))
            write = own
            own("\n")
          },
          cancel: () => {
            // The next reader may be connected already.
            if (write === own) write = undefined
          },
        })
        return new Response(body, {headers: {"content-type": "text/plain"}})
      },
    })
  },
})
