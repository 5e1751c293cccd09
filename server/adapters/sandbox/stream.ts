import type {RoomChange} from "./room.ts"

/** The interval of comments that keep an idle connection open, in milliseconds. */
const heartbeat = 15_000

/** How far a client may lag behind, in bytes, before its stream ends. */
const buffer = 256 * 1024

/** Streams the changes in a channel as server-sent events, until one of the signals aborts. */
export const streamOf = (
  listen: (listener: (change: RoomChange) => void) => () => void,
  signals: readonly AbortSignal[],
): Response => {
  const encoder = new TextEncoder()
  let end = () => {}
  const body = new ReadableStream<Uint8Array>(
    {
      start: controller => {
        const write = (text: string) => {
          if ((controller.desiredSize ?? 0) < -buffer) return end()
          controller.enqueue(encoder.encode(text))
        }
        const stop = listen(change => write(`event: ${change.change}\ndata: ${JSON.stringify(change)}\n\n`))
        const beat = setInterval(() => write(":\n\n"), heartbeat)
        end = () => {
          end = () => {}
          clearInterval(beat)
          stop()
          for (const signal of signals) signal.removeEventListener("abort", onAbort)
          controller.close()
        }
        const onAbort = () => end()
        for (const signal of signals) signal.addEventListener("abort", onAbort, {once: true})
        write(": listening\n\n")
      },
      cancel: () => end(),
    },
    new ByteLengthQueuingStrategy({highWaterMark: 16 * 1024}),
  )
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    },
  })
}
