import {expect, onTestFinished, test, vi} from "vitest"
import {Connection} from "../../../../server/http/sockets/connection.ts"
import type {Peer} from "../../../../server/runtime/runtime.ts"

/** A stand-in for a connection with this number of unsent bytes. */
const peerWith = (bufferedAmount: number) => {
  const calls: string[] = []
  const peer = {
    bufferedAmount,
    send: () => calls.push("send"),
    close: (code: number) => calls.push(`close ${code}`),
    terminate: () => calls.push("terminate"),
    waitForDrain: ({signal}: {signal: AbortSignal}) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))),
  }
  return {peer: peer as unknown as Peer, calls}
}

const connectionOf = (peer: Peer, attempt = new AbortController().signal) =>
  new Connection(peer, {
    endpoint: "line~one",
    handler: {message: () => {}},
    log: {warn: () => {}, error: () => {}} as never,
    own: work => work(),
    attempt,
  })

test("a platform that accepts nothing for 30 s plus 1 s per 64 KB is cut, rejecting queued sends", async () => {
  vi.useFakeTimers({toFake: ["setTimeout", "clearTimeout"]})
  onTestFinished(() => void vi.useRealTimers())
  const {peer, calls} = peerWith(640_000)
  const connection = connectionOf(peer)
  const sends = [connection.send("one"), connection.send("two")].map(sent => sent.catch(({message}) => message))
  await vi.advanceTimersByTimeAsync(39_999)
  expect(calls).toEqual(["send"])
  await vi.advanceTimersByTimeAsync(1)
  expect(await Promise.all(sends)).toEqual([expect.stringMatching(/\bslowly$/), expect.stringMatching(/\bended$/)])
  expect(calls).toEqual(["send", "terminate"])
})

test("a connection whose attempt has ended is closed, or cut if the platform does not answer", async () => {
  vi.useFakeTimers({toFake: ["setTimeout", "clearTimeout"]})
  onTestFinished(() => void vi.useRealTimers())
  const {peer, calls} = peerWith(0)
  const attempt = new AbortController()
  connectionOf(peer, attempt.signal).open()
  attempt.abort()
  expect(calls).toEqual(["close 1001"])
  await vi.advanceTimersByTimeAsync(2000)
  expect(calls).toEqual(["close 1001", "terminate"])
})
