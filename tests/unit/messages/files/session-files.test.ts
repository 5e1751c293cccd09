import {describe, expect, test} from "vitest"
import type {EndpointActs} from "../../../../server/messages/session/options.ts"
import type {FileRef} from "../../../../shared/sdk/adapter/sender.ts"
import type {SessionFile} from "../../../../shared/sdk/files/session-file.ts"
import type {Reply, Session} from "../../../../shared/sdk/session/session.ts"
import {firstAttempt} from "../../../support/messages/attempt.ts"
import {dispatchTo, hearerOf, messageOf, tableOf} from "../../../support/messages/dispatching.ts"
import {ableEndpoints} from "../../../support/messages/endpoint-acts.ts"

const refused = (error: {code?: string; message: string}) => `${error.code}: ${error.message}`

interface Trial {
  readonly content: string
  readonly download?: EndpointActs["download"]
  readonly timeout?: number
}

const handle = async ({content, download, timeout}: Trial, work: (session: Session) => Reply) => {
  const handler = hearerOf(work)
  const dispatch = dispatchTo(tableOf({handlers: [handler]}), {
    endpoints: {...ableEndpoints, ...(download === undefined ? {} : {download})},
    ...(timeout === undefined ? {} : {timeout}),
  })
  return dispatch.run({endpoint: "test", event: messageOf(content)}, handler.id, firstAttempt)
}

const first = ({files: [file]}: Session): SessionFile => {
  if (file === undefined) throw new Error("no file")
  return file
}

const hello = '<file src="data:text/plain,hello" title="a.txt"/>'

/** A source that never ends, and the reason of its cancellation. */
const endless = () => {
  let cancelled: unknown
  const body = new ReadableStream<Uint8Array>({
    pull: controller => controller.enqueue(new Uint8Array(10)),
    cancel: reason => {
      cancelled = reason
    },
  })
  return {body, cancelled: () => cancelled}
}

describe("session.files", () => {
  test("can be read any number of times, each time from the start", async () => {
    const texts: string[] = []
    await handle({content: `see ${hello}`}, async session => {
      expect(session.files).toBe(session.files)
      expect(session.text).toBe("see ")
      for (let n = 0; n < 2; n++) texts.push(await new Response(await first(session).read()).text())
    })
    expect(texts).toEqual(["hello", "hello"])
  })

  test("are read through the adapter, which gets the element, its address and the message", async () => {
    const asked: FileRef[] = []
    const download: EndpointActs["download"] = async (endpoint, file) => {
      asked.push(file)
      return endpoint === "test" ? {body: new Blob(["by the adapter"]).stream()} : undefined
    }
    let text = ""
    await handle({content: '<img src="mxc://x/y"/>', download}, async session => {
      text = await new Response(await first(session).read()).text()
    })
    expect(text).toBe("by the adapter")
    expect(asked).toEqual([
      {element: {type: "img", attrs: {src: "mxc://x/y"}, children: []}, src: "mxc://x/y", channel: "c", message: "m"},
    ])
  })

  test.each([
    ["<img/>", "file_refused: the img has no address"],
    ['<img src="mxc://x/y"/>', "file_refused: the Host cannot read mxc: addresses"],
    ['<img src="x.png"/>', "file_refused: its address is not a URL"],
    ['<img src="file:///etc/passwd"/>', "file_refused: the Host cannot read file: addresses"],
    [
      '<img src="http://127.0.0.1:1/"/>',
      "file_refused: 127.0.0.1:1 is a private address or this machine; the Host fetches nothing there",
    ],
  ])("that neither the adapter nor the Host can read are refused: %s", async (content, expected) => {
    let why = ""
    await handle({content}, async session => {
      why = await first(session)
        .read()
        .then(() => "read", refused)
    })
    expect(why).toBe(expected)
  })

  test("have a limit of 32 MiB, which a reader can lower, or raise up to 1 GiB", async () => {
    const sized =
      (size: number): EndpointActs["download"] =>
      async () => ({body: endless().body, size})
    const reading = async (size: number, limit?: number) => {
      let why = ""
      await handle({content: hello, download: sized(size)}, async session => {
        const options = limit === undefined ? undefined : {limit}
        why = await first(session)
          .read(options)
          .then(() => "read")
          .catch(error => error.code)
      })
      return why
    }
    const mebibyte = 1024 * 1024
    expect(await reading(32 * mebibyte)).toBe("read")
    expect(await reading(32 * mebibyte + 1)).toBe("file_too_large")
    expect(await reading(3, 2)).toBe("file_too_large")
    expect(await reading(33 * mebibyte, 34 * mebibyte)).toBe("read")
    for (const wrong of [0, -1, 1.5, Number.NaN, 1024 * mebibyte + 1])
      expect(await reading(1, wrong)).toBe("request_invalid")
  })
})

describe("the handler's end", () => {
  test.each<[string, (session: Session) => Reply]>([
    ["it returns", () => "done"],
    [
      "it throws",
      () => {
        throw new Error("no")
      },
    ],
  ])("cancels open reads and refuses new ones when %s", async (_, end) => {
    const source = endless()
    let reading: Promise<unknown> = Promise.resolve()
    let kept: SessionFile | undefined
    await handle({content: hello, download: async () => source}, async session => {
      kept = first(session)
      const reader = (await kept.read()).getReader()
      await reader.read()
      reading = reader.closed.catch(error => error.code)
      return end(session)
    })
    expect(await reading).toBe("late")
    expect(source.cancelled()).toMatchObject({code: "late"})
    await expect(kept?.read()).rejects.toMatchObject({code: "late"})
  })

  test("by its time limit aborts waiting and running reads", async () => {
    const source = endless()
    const signals: AbortSignal[] = []
    const ends: Promise<unknown>[] = []
    const download: EndpointActs["download"] = async (_endpoint, _file, signal) => {
      signals.push(signal)
      return signals.length === 1
        ? source
        : new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("x"))))
    }
    const outcome = await handle({content: hello, download, timeout: 20}, async session => {
      const reader = (await first(session).read()).getReader()
      ends.push(
        reader.closed.catch(error => error.code),
        first(session)
          .read()
          .catch(error => error.code),
      )
      await new Promise(() => {})
    })
    expect(outcome).toMatchObject({is: "failed"})
    expect(await Promise.all(ends)).toEqual(["late", "late"])
    expect(source.cancelled()).toMatchObject({code: "late"})
    expect(signals.every(({aborted}) => aborted)).toBe(true)
  })
})
