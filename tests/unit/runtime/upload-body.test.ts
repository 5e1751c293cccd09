import {expect, test} from "vitest"
import {UploadBody, type UploadLimits} from "../../../server/runtime/sockets/upload-body.ts"
import {Problem} from "../../../shared/problems.ts"

const tooLarge = (bytes: number) => new Problem("file_too_large", `more than ${bytes} bytes`)
const limits: UploadLimits = {bytes: 10, tooLarge, time: 60_000, idle: 60_000, dropped: {bytes: 20, time: 60_000}}
const never = new AbortController().signal

/** Chunks of these sizes, one per request. With `stays`, the body never ends. */
const bodyOf = (sizes: readonly number[], stays = false) => {
  const left = [...sizes]
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>(
    {
      pull: controller => {
        const size = left.shift()
        if (size !== undefined) controller.enqueue(new Uint8Array(size))
        else if (!stays) controller.close()
        return size === undefined && stays ? new Promise<void>(() => {}) : undefined
      },
      cancel: () => {
        isCancelled = true
      },
    },
    {highWaterMark: 0},
  )
  return {body, left, isCancelled: () => isCancelled}
}

test("a body up to the limit passes unchanged", async () => {
  const upload = new UploadBody(bodyOf([4, 6]).body, limits, never)
  expect([await upload.read(), await upload.read(), await upload.read()].map(piece => piece?.length)).toEqual([
    4,
    6,
    undefined,
  ])
})

test("a body over the limit is refused, and its rest is dropped up to a limit", async () => {
  const {body, left, isCancelled} = bodyOf([4, 7, 10, 10, 10, 10])
  const upload = new UploadBody(body, limits, never)
  await upload.read()
  await expect(upload.read()).rejects.toMatchObject({code: "file_too_large"})
  await upload.drop()
  expect(left).toEqual([10, 10])
  expect(isCancelled()).toBe(true)
})

test.each([
  [{idle: 20}, "no data arrived for 0.02 s"],
  [{time: 20}, "the body was incomplete after 0.02 s"],
])("a sender that stops is refused: %j", async (less, why) => {
  const {body, isCancelled} = bodyOf([4], true)
  const upload = new UploadBody(body, {...limits, ...less, dropped: {bytes: 20, time: 1}}, never)
  await expect(upload.read().then(() => upload.read())).rejects.toMatchObject({code: "request_timeout", message: why})
  await upload.drop()
  expect(isCancelled()).toBe(true)
})

test("a body is incomplete if its sender disconnects or it fails", async () => {
  const gone = new AbortController()
  const reading = new UploadBody(bodyOf([], true).body, limits, gone.signal).read()
  gone.abort(new Error("gone"))
  await expect(reading).rejects.toMatchObject({code: "request_invalid"})
  const broken = new ReadableStream<Uint8Array>({pull: () => Promise.reject(new Error("reset"))}, {highWaterMark: 0})
  await expect(new UploadBody(broken, limits, never).read()).rejects.toMatchObject({code: "request_invalid"})
})
