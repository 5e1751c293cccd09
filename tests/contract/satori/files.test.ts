import {hash, randomBytes} from "node:crypto"
import {readdirSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {bunOr, expectProblem, pluginWith, shared, startHost, type TestHost, until} from "../../support/host/host.ts"
import {openRaw} from "../../support/http/raw.ts"
import {messageIn} from "../../support/messages/messages.ts"
import {askSatori, connectSatori} from "../../support/satori/satori.ts"

const megabyte = 1024 ** 2
const picture = randomBytes(70_000)
const sandbox = {"satori-platform": "sandbox", "satori-user-id": "bot"}

/** A platform that opens its files by key, accepts small ones, and shows the messages it received. */
const club = pluginWith(`
    const sent: unknown[] = []
    let endpoint: any
    let peak = 0
    plugin.adapter("club", {
      history: "inside", features: ["download", "files"], limits: {file: 1000},
      open: async (_, opened) => {
        endpoint = opened
        endpoint.login({platform: "club", user: {id: "@bot:club"}, status: 1})
        return {
          send: async ({id, content}) => {
            sent.push(content.map(node => (typeof node === "string" ? node : node.attrs)))
            return {ids: [id]}
          },
          download: async ({src, element, message}) => {
            if (src === "https://club.example/public") return undefined
            return new Response("bytes of " + [src ?? element.attrs.id, message].join(" ").trim())
          },
        }
      },
    })
    const full = {scope: "full", summary: "of the test", method: "POST"} as const
    plugin.route({...full, path: "/tell", handle: async request => {
      await endpoint.receive({
        id: crypto.randomUUID(), type: "message-created", timestamp: Date.now(), user: {id: "ann"},
        channel: {id: "hall", type: 0}, message: {id: "m1", content: await request.text()},
      })
      return Response.json({})
    }})
    plugin.route({...full, path: "/sent", handle: () => Response.json(sent)})
    plugin.route({...full, path: "/watch", handle: () => {
      const before = process.memoryUsage().rss
      setInterval(() => { peak = Math.max(peak, process.memoryUsage().rss - before) }, 2).unref()
      return Response.json({})
    }})
    plugin.route({...full, path: "/peak", handle: () => Response.json(Math.round(peak / 1024 ** 2))})`)

const config = `http: {port: 0, token: "\${HTTP_TOKEN}", demoToken: "\${DEMO_TOKEN}"}
files: {quota: 150}
plugins: {sandbox: {}, club: {}}
`
const env = {HTTP_TOKEN: "full-token-of-the-test", DEMO_TOKEN: "demo-token-of-the-test"}

const upload = (host: TestHost, body: BodyInit, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  host.fetch("/satori/v1/upload.create", {method: "POST", body, headers: {...sandbox, ...headers}, ...{duplex: "half"}})

const formOf = (...files: readonly (readonly [string, Uint8Array<ArrayBuffer>, string, string])[]): FormData => {
  const form = new FormData()
  for (const [field, bytes, name, type] of files) form.append(field, new Blob([bytes], {type}), name)
  return form
}

/** The head of an upload with the length of its body. */
const headOf = (length: number): string =>
  [
    "POST /satori/v1/upload.create HTTP/1.1",
    "Host: a",
    `Authorization: Bearer ${env.HTTP_TOKEN}`,
    "Satori-Platform: sandbox",
    "Satori-User-ID: bot",
    "Content-Type: multipart/form-data; boundary=b",
    `Content-Length: ${length}`,
    "\r\n",
  ].join("\r\n")

/** A form with one file, whose bytes are made as they are read. */
const largeForm = (megabytes: number): ReadableStream<Uint8Array> => {
  const head = '--b\r\nContent-Disposition: form-data; name="f"; filename="large.bin"\r\n\r\n'
  let left = megabytes
  return new ReadableStream({
    start: controller => controller.enqueue(Buffer.from(head)),
    pull: controller => {
      if (left-- > 0) return controller.enqueue(new Uint8Array(megabyte).fill(megabytes))
      controller.enqueue(Buffer.from("\r\n--b--\r\n"))
      controller.close()
    },
  })
}

const form = {"content-type": "multipart/form-data; boundary=b"}
const part = (name: string, body: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${body}\r\n`

const proxied = (host: TestHost, link: string, init: RequestInit = {}): Promise<Response> =>
  host.fetch(`/satori/v1/proxy/${link}`, init)

const create = async (host: TestHost, content: string, channel = "room"): Promise<string> => {
  const answer = await askSatori(host, "message.create", {channel_id: channel, content})
  const [message] = await answer.json()
  if (message === undefined) throw new Error(`status ${answer.status}`)
  return message.id
}

const stored = async (host: TestHost): Promise<number> => (await host.get("/api/database")).files.count

const leftovers = (host: TestHost): readonly string[] =>
  readdirSync(host.project.path("data/files")).filter(name => name.endsWith(".tmp"))

describe.each(bunOr("node22"))("files of Satori applications, on $name:", runtime => {
  const started = shared(() => startHost({runtime, config, env, plugins: {club}, args: ["--no-watch"]}))

  test("an upload is sent as a stored file, and can be read again by its link", async () => {
    const host = started()
    const note = Buffer.from("a note")
    const answer = await upload(
      host,
      formOf(
        ["file", Buffer.from(picture), "cat <1>.png", "image/png"],
        ["file", note, "../note.txt", "text/plain"],
        ["voice", note, "blob", "audio/ogg"],
      ),
    )
    expect(answer.status).toBe(200)
    const links: Record<string, string> = await answer.json()
    expect(links).toEqual({
      file: `internal:sandbox/bot/_svc/files/${hash("sha256", picture)}/cat%20%3C1%3E.png`,
      "file-2": `internal:sandbox/bot/_svc/files/${hash("sha256", note)}/note.txt`,
      voice: `internal:sandbox/bot/_svc/files/${hash("sha256", note)}/blob.ogg`,
    })
    const {file = "", "file-2": second = "", voice = ""} = links
    await messageIn(
      host,
      await create(host, `see <b><img src="${file}"/></b><file src="${second}" title="N"/>`),
      "sent",
    )
    await messageIn(host, await create(host, `<audio src="${voice}"/>`), "sent")
    const {items} = await host.plugin<{items: {files: object[]}[]}>("/api/plugins/sandbox/messages?channel=room")
    expect(items.flatMap(({files}) => files)).toEqual([
      {name: "cat <1>.png", type: "image/png", size: picture.length, sha256: hash("sha256", picture)},
      {name: "N", type: "application/octet-stream", size: 6, sha256: hash("sha256", note)},
      {name: "blob.ogg", type: "audio/ogg", size: 6, sha256: hash("sha256", note)},
    ])
    const again = await proxied(host, file)
    expect(Object.fromEntries(again.headers)).toMatchObject({
      "content-type": "image/png",
      "content-disposition": "attachment; filename*=UTF-8''cat%20%3C1%3E.png",
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
    })
    expect(hash("sha256", Buffer.from(await again.arrayBuffer()))).toBe(hash("sha256", picture))
    expect(await (await proxied(host, encodeURIComponent(second))).text()).toBe("a note")
    expect(await (await host.fetch(`/satori/v1/${second.replace(":", "/")}`)).text()).toBe("a note")
    expect((await proxied(host, second, {headers: {authorization: "Bearer wrong"}})).status).toBe(401)
  })

  test("a platform rejects the message without the file's size or the file itself", async () => {
    const host = started()
    const {file = ""} = await (await upload(host, formOf(["file", Buffer.from(picture), "a.png", "image/png"]))).json()
    const at = {"satori-platform": "club", "satori-user-id": "@bot:club"}
    const send = (content: string) => askSatori(host, "message.create", {channel_id: "hall", content}, at)
    const large = await expectProblem(await send(`<img src="${file}"/>`), 413, "file_too_large")
    expect(large.detail).toMatch(/^a\.png has 70000 bytes; club .* 1000$/)
    const missing = file.replace(/[0-9a-f]{64}/, "0".repeat(64))
    await expectProblem(await send(`<img src="${missing}"/>`), 400, "request_invalid")
    await expectProblem(await proxied(host, missing), 404, "not_found")
  })

  test("an upload of 120 MB, more than all buffered bodies together, needs constant memory", async () => {
    const host = started()
    await host.plugin("/api/plugins/club/watch", {})
    const answer = await upload(host, largeForm(120), form)
    expect(answer.status).toBe(200)
    const {f = ""}: Record<string, string> = await answer.json()
    expect(await host.plugin("/api/plugins/club/peak", {})).toBeLessThan(96)
    expect(f).toMatch(/large\.bin$/)
    expect((await host.get("/api/database")).files.bytes).toBeGreaterThanOrEqual(120 * megabyte)
  })

  test("a refused or interrupted upload leaves nothing behind", async () => {
    const host = started()
    const before = await stored(host)
    const whole = `${part("a", "first")}${part("b", "second")}--b--\r\n`
    await expectProblem(await upload(host, largeForm(80), form), 503, "files_full")
    await expectProblem(await upload(host, largeForm(130), form), 503, "files_full")
    await expectProblem(await upload(host, whole, {...form, authorization: "Bearer wrong"}), 401, "unauthorized")
    await expectProblem(
      await upload(host, whole, {...form, authorization: `Bearer ${env.DEMO_TOKEN}`}),
      403,
      "forbidden",
    )
    await expectProblem(await upload(host, whole, {...form, "satori-user-id": "nobody"}), 403, "login_unknown")
    await expectProblem(await upload(host, whole), 415, "unsupported_media_type")
    await expectProblem(await upload(host, "{}", {"content-type": "application/json"}), 415, "unsupported_media_type")
    await expectProblem(await upload(host, `${part("a", "first")}--b\r\n\r\nx`, form), 400, "request_invalid")
    await expectProblem(await upload(host, part("a", "first"), form), 400, "request_invalid")
    const many = Array.from({length: 21}, (_, n) => part(`f${n}`, `number ${n}`)).join("")
    await expectProblem(await upload(host, `${many}--b--`, form), 400, "request_invalid")
    const begun = `${part("a", "first")}${part("b", "x".repeat(100_000)).slice(0, -10)}`
    const {socket} = await openRaw(host, `${headOf(1_000_000)}${begun}`)
    await until("the upload to start", () => leftovers(host).length > 0)
    socket.destroy()
    await until("the upload to be abandoned", () => leftovers(host).length === 0)
    expect(await stored(host)).toBe(before)
  })

  test("a body that is declared too large is not read", async () => {
    const client = await openRaw(started(), headOf(129 * megabyte))
    await until("the answer", () => client.answer.startsWith("HTTP/1.1 413"))
  })

  test("files that only the adapter can open get internal links, which the adapter opens", async () => {
    const host = started()
    const client = await connectSatori(host)
    await client.hears(4)
    const told =
      'look <img src="key-1" title="a.png"/><file id="7"/><img src="https://club.example/b.png"/><quote><img src="no"/></quote>'
    await host.fetch("/api/plugins/club/tell", {method: "POST", body: told})
    const [event] = await client.hearsMessages(1)
    const link = (number: number, name: string) => `internal:club/@bot:club/_svc/events/${event?.sn}/${number}/${name}`
    expect(event?.message?.content).toBe(
      `look <img src="${link(0, "a.png")}" title="a.png"/><file id="7" src="${link(1, "file")}"/><img src="https://club.example/b.png"/><quote><img src="no"/></quote>`,
    )
    const opened = await proxied(host, link(0, "a.png"))
    expect(opened.headers.get("content-type")).toBe("image/png")
    expect(await opened.text()).toBe("bytes of key-1 m1")
    expect(await (await proxied(host, link(1, "any"))).text()).toBe("bytes of 7 m1")
    expect(await (await proxied(host, "internal:club/@bot:club/own/1")).text()).toBe(
      "bytes of internal:club/@bot:club/own/1",
    )
    const at = {"satori-platform": "club", "satori-user-id": "@bot:club"}
    const echo = `<img src="${link(0, "a.png")}" title="a.png"/>`
    expect((await askSatori(host, "message.create", {channel_id: "hall", content: echo}, at)).status).toBe(200)
    const sent = await until("the echo", async () => {
      const found = await host.plugin<readonly unknown[]>("/api/plugins/club/sent", {})
      return found.length > 0 && found
    })
    expect(sent).toEqual([[{title: "a.png", src: "key-1"}]])
    for (const gone of [link(3, "x"), link(0, "a.png").replace("club/", "other/"), "internal:sandbox/bot/own"])
      await expectProblem(await proxied(host, gone), 404, "not_found")
    await expectProblem(await proxied(host, "https://example.org/a.png"), 403, "forbidden")
    await expectProblem(await proxied(host, "cat.png"), 400, "request_invalid")
    client.close()
  })
})
