import {connect} from "node:net"
import {setTimeout as sleep} from "node:timers/promises"

const pause = 10

/** The longest time of a probe, in milliseconds; longer ones, and failed ones, count as this. */
export const longest = 10_000

/** The time of one health request on its own connection, in milliseconds. */
const probe = (port: number): Promise<number> =>
  new Promise(done => {
    const begun = performance.now()
    const socket = connect(port, "127.0.0.1", () =>
      socket.write("GET /pub/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
    )
    const end = (time: number) => {
      clearTimeout(cut)
      socket.destroy()
      done(time)
    }
    const cut = setTimeout(() => end(longest), longest)
    socket.once("data", chunk => end(chunk.toString("latin1", 9, 12) === "200" ? performance.now() - begun : longest))
    socket.once("error", () => end(longest))
    socket.once("end", () => end(longest))
  })

/** Probes health until `work` has ended; resolves to the times in milliseconds. */
export const probeDuring = async (port: number, work: Promise<unknown>): Promise<readonly number[]> => {
  let isDone = false
  const ended = work.finally(() => {
    isDone = true
  })
  const times: number[] = []
  while (!isDone) {
    times.push(await probe(port))
    await sleep(pause)
  }
  await ended
  return times
}
