import {describe, expect, test} from "vitest"
import {boundedStream} from "../../../../server/runtime/outgoing/bounded-stream.ts"

const sourceOf = (chunks: readonly unknown[]) => {
  let pulled = 0
  let cancelled: unknown
  const body = new ReadableStream(
    {
      pull: controller => {
        if (pulled === chunks.length) controller.close()
        else controller.enqueue(chunks[pulled++])
      },
      cancel: reason => {
        cancelled = reason ?? "cancelled"
      },
    },
    {highWaterMark: 0},
  )
  return {body: body as ReadableStream<Uint8Array>, pulled: () => pulled, cancelled: () => cancelled}
}

const bytes = (length: number) => new Uint8Array(length)
const never = new AbortController().signal
const codeOf = (work: Promise<unknown>) => work.then(() => "done").catch(error => error.code ?? error)

describe("a bounded stream", () => {
  test("passes on every byte up to its limit", async () => {
    const {body} = sourceOf([bytes(4), bytes(6)])
    expect((await new Response(boundedStream({body}, {limit: 10, signal: never})).arrayBuffer()).byteLength).toBe(10)
  })

  test("fails at the first byte beyond, and cancels its source", async () => {
    const source = sourceOf([bytes(4), bytes(7), bytes(1), bytes(1)])
    const stream = boundedStream({body: source.body}, {limit: 10, signal: never})
    expect(await codeOf(new Response(stream).arrayBuffer())).toBe("file_too_large")
    expect(source.pulled()).toBe(2)
    expect(source.cancelled()).toMatchObject({code: "file_too_large"})
  })

  test("is refused if the source declares a larger size", () => {
    const source = sourceOf([bytes(4)])
    const open = () => boundedStream({body: source.body, size: 11}, {limit: 10, signal: never})
    expect(open).toThrow("the file has 11 bytes; at most 10 are allowed")
    expect(source.pulled()).toBe(0)
    expect(source.cancelled()).toBeDefined()
  })

  test("reads nothing before it is read, and no more than requested", async () => {
    const source = sourceOf([bytes(1), bytes(1), bytes(1)])
    const reader = boundedStream({body: source.body}, {limit: 10, signal: never}).getReader()
    expect(source.pulled()).toBe(0)
    await reader.read()
    expect(source.pulled()).toBe(1)
    await reader.cancel("enough")
    expect(source.cancelled()).toBe("enough")
  })

  test("ends with the signal's reason, during and between reads, and cancels its source", async () => {
    const abort = new AbortController()
    const open = new ReadableStream<Uint8Array>({}, {highWaterMark: 0})
    const waiting = boundedStream({body: open}, {limit: 10, signal: abort.signal})
      .getReader()
      .read()
      .catch(error => error)
    const source = sourceOf([bytes(1)])
    const between = boundedStream({body: source.body}, {limit: 10, signal: abort.signal})
    abort.abort("over")
    expect(await waiting).toBe("over")
    expect(await codeOf(new Response(between).text())).toBe("over")
    expect(source.cancelled()).toBe("over")
    const late = boundedStream({body: sourceOf([bytes(1)]).body}, {limit: 10, signal: abort.signal})
    expect(await codeOf(new Response(late).text())).toBe("over")
  })

  test("accepts bytes only", async () => {
    const {body} = sourceOf(["text"])
    expect(await codeOf(boundedStream({body}, {limit: 10, signal: never}).getReader().read())).toBe("file_unavailable")
  })
})
