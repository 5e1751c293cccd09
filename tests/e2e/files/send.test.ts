import {hash, randomBytes} from "node:crypto"
import {existsSync, linkSync, readdirSync, statSync, symlinkSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {runCommand} from "../../support/host/command-line.ts"
import {bunAnd, shared, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {botMessages} from "../../support/messages/messages.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"
import {clerk} from "./clerk.ts"

const report = randomBytes(100_000)

const config = `http: {port: 0}
files: {quota: 64}
plugins: {sandbox: {}, clerk: {}, lines: {}}
`

/** Two platforms: one accepts no files, the other only small ones. */
const lines = pluginWith(`
    const open = async (_, endpoint) => {
      endpoint.login({platform: endpoint.name})
      return {send: async ({id, content}) => {
        const found = []
        for (const node of content) if (typeof node !== "string") found.push((await endpoint.file(node))?.size ?? "none")
        globalThis.sent = [...(globalThis.sent ?? []), [endpoint.name, content, found]]
        return {ids: [id]}
      }}
    }
    plugin.adapter("plain", {history: "inside", open})
    plugin.adapter("shelf", {
      history: "inside", features: ["files", "upload"],
      open: async (_, endpoint) => ({
        ...(await open(_, endpoint)),
        upload: async ({file, channel}) => "shelf:" + channel + "/" + (await new Response(file.stream()).text()),
      }),
    })
    plugin.adapter("small", {history: "inside", features: ["files"], limits: {file: 1000}, open})
    plugin.route({method: "GET", path: "/sent", scope: "full", summary: "Sent", handle: () => Response.json(globalThis.sent ?? [])})`)

const fileOf = (host: TestHost, channel: string, {id}: {id: string}, number = 0): Promise<Response> =>
  host.fetch(`/api/plugins/sandbox/files?channel=${channel}&message=${id}&number=${number}`)

describe.each(bunAnd("node22"))("files of plugins, on $name", runtime => {
  const started = shared(async () => {
    const host = await startHost({
      own: true,
      runtime,
      config,
      plugins: {clerk, lines},
      files: {"reports/q1.pdf": "", ".env": "HTTP_TOKEN=secret", ".git/config": "x", "page.html": "<script>1</script>"},
    })
    host.project.write("reports/q1.pdf", report)
    symlinkSync(host.project.path(".env"), host.project.path("innocent.txt"))
    symlinkSync("/etc/hostname", host.project.path("outside.txt"))
    linkSync(host.project.path(".svc/data.sqlite"), host.project.path("copy.sqlite"))
    return host
  })

  test("arrive unchanged from a path or bytes, with name, type and size, and are stored once", async () => {
    const host = started()
    expect(await host.say("/send reports/q1.pdf", {channel: "one"})).toEqual(["[q1.pdf]"])
    await host.say("/send reports/q1.pdf", {channel: "one"})
    await host.say("/bytes hello", {channel: "one"})
    const [first, second, third] = await botMessages(host, "one")
    expect(first?.files).toEqual([
      {name: "q1.pdf", type: "application/pdf", size: report.length, sha256: hash("sha256", report)},
    ])
    expect(second?.files).toEqual(first?.files)
    expect(third?.files).toMatchObject([{name: "note.txt", type: "text/plain", size: 5}])
    if (first === undefined || third === undefined) throw new Error("nothing was said")
    expect(first.elements).toMatchObject([{attrs: {src: `internal:svc/files/${hash("sha256", report)}`}}])
    const answer = await fileOf(host, "one", first)
    expect(Buffer.from(await answer.arrayBuffer()).equals(report)).toBe(true)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": "attachment; filename*=UTF-8''q1.pdf",
      "x-content-type-options": "nosniff",
    })
    expect(await (await fileOf(host, "one", third)).text()).toBe("hello")
    expect((await fileOf(host, "one", third, 1)).status).toBe(404)
    expect((await fetch(`${host.url}/api/plugins/sandbox/files?channel=one&message=${first.id}`)).status).toBe(401)
  })

  test("keep the order of the messages while they are stored, also from a job and a route", async () => {
    const host = started()
    expect(await host.say("/order", {channel: "two"})).toEqual(["first", "[q1.pdf]", "second\n\n- third", "last"])
    await host.plugin("/api/plugins/clerk/deliver", {channel: "two"})
    expect((await host.say("/replace", {channel: "two"}))[0]).toBe("[note.txt]")
    await until("the edit and the route's message", async () => {
      const messages = await botMessages(host, "two")
      return messages.some(({text}) => text === "[q1.pdf]") && messages.some(({files}) => files[0]?.size === 6)
    })
  })

  test.each([
    [".env", "it holds secrets or the configuration"],
    ["innocent.txt", "it holds secrets or the configuration"],
    ["svc.config.yml", "it holds secrets or the configuration"],
    [".git/config", "it is in .svc/ or .git/"],
    [".svc/data.sqlite", "it is in .svc/ or .git/"],
    ["copy.sqlite", "it is the database"],
    ["../", "it leads out of the project"],
    ["outside.txt", "it leads out of the project"],
    ["reports", "it is not a regular file"],
    ["missing.txt", "there is no such file"],
  ])("are refused for %s: %s", async (path, why) => {
    expect(await started().say(`/try ${path}`, {channel: "three"})).toEqual([
      `file_path_refused: the file "${path}" is not sent: ${why}`,
    ])
  })

  test("are not named by a path in text, JSON, an echoed element or copied fields", async () => {
    const host = started()
    for (const command of ["/parsed", "/json", "/fields"]) {
      await host.say(command, {channel: "four"})
    }
    const said = await botMessages(host, "four")
    expect(said).toHaveLength(3)
    expect(said.flatMap(({files}) => files)).toEqual([])
  })

  test("are reduced to their name for an endpoint without files, and refused above an endpoint's limit", async () => {
    const host = started()
    const before = (await host.get("/api/database")).files.count
    await host.say("/to plain unique", {channel: "five"})
    expect(await host.say("/try-to small", {channel: "five"})).toEqual([
      expect.stringMatching(/^file_too_large: q1\.pdf has 100000 bytes; small .* 1000$/),
    ])
    await host.say("/to small little", {channel: "five"})
    const sent = await until("both messages", async () => {
      const found =
        await host.plugin<readonly [string, readonly {attrs: object}[], readonly unknown[]][]>(
          "/api/plugins/lines/sent",
        )
      const others = found.filter(([endpoint]) => endpoint !== "shelf")
      return others.length === 2 && others
    })
    expect(sent[0]).toMatchObject(["plain", [{type: "file", attrs: {title: "note.txt"}}], ["none"]])
    expect(sent[0]?.[1][0]?.attrs).not.toHaveProperty("src")
    expect(sent[1]).toMatchObject(["small", [{type: "file"}], [6]])
    expect((await host.get("/api/database")).files.count).toBe(before + 1)
  })

  test("are first uploaded to the platform if the adapter has the feature upload", async () => {
    const host = started()
    await host.say("/to shelf bytes", {channel: "nine"})
    const find = async () => {
      const sent = await host.plugin<readonly [string, readonly {attrs: object}[]][]>("/api/plugins/lines/sent")
      return sent.find(([endpoint]) => endpoint === "shelf")
    }
    const [, content] = await until("the message", find)
    expect(content).toMatchObject([{type: "file", attrs: {src: "shelf:x/bytes", title: "note.txt", size: 5}}])
  })

  test("are stored and read in constant memory, even 20 MB", async () => {
    const host = started()
    const replies = await host.say("/weigh", {channel: "seven"})
    const message = (await botMessages(host, "seven")).find(({files}) => files.length > 0)
    if (message === undefined) throw new Error(replies.join())
    expect(message.files).toMatchObject([{name: "weight.bin", size: 20 * 1024 ** 2}])
    for (let times = 0; times < 6; times++) {
      const answer = await fileOf(host, "seven", message)
      expect(hash("sha256", new Uint8Array(await answer.arrayBuffer()))).toBe(message.files[0]?.sha256)
    }
    const {stored, read} = await host.plugin<{stored: number; read: number}>("/api/plugins/clerk/weight")
    expect(stored).toBeLessThan(16)
    // Of the 120 MB read. Memory that is freed late counts too.
    expect(read).toBeLessThan(60)
  })

  test("are refused above the quota unless they are stored already, and redaction makes room", async () => {
    const host = started()
    await host.say("/large 20", {channel: "six"})
    expect((await host.say("/large 30", {channel: "six"}))[0]).toMatch(/^files_full: .*files\.quota is 67108864 bytes/)
    expect(await host.say("/large 20", {channel: "six"})).toEqual(["[20.bin]"])
    const large = (await botMessages(host, "six")).filter(({files}) => files[0]?.name === "20.bin")
    const hash = large[0]?.files[0]?.sha256 ?? ""
    const path = host.project.path("data/files", hash.slice(0, 2), hash)
    expect(existsSync(path)).toBe(true)
    await host.post("/api/outbox/:id/redact", {id: large[0]?.id ?? ""})
    expect(existsSync(path)).toBe(true)
    await host.post("/api/outbox/:id/redact", {id: large[1]?.id ?? ""})
    expect(existsSync(path)).toBe(false)
    expect(await host.say("/large 30", {channel: "six"})).toEqual(["[30.bin]"])
    expect((await runCommand(host.project, "doctor --json", runtime)).stdout).toMatch(/\bfiles of messages\b/)
    expect(await (await host.fetch("/api/metrics")).text()).toMatch(/^svc_files_bytes \d{8}/m)
    expect((await runCommand(host.project, "database info", runtime)).stdout).toMatch(
      /files +\d+, [\d.]+ MiB of 64 MiB/,
    )
  })

  test("are deleted with a forgotten user, unless another user got them too", async () => {
    const host = started()
    await host.say("/bytes zoe's", {channel: "@zoe", user: "zoe"})
    await host.say("/send reports/q1.pdf", {channel: "@zoe", user: "zoe"})
    await host.say("/send reports/q1.pdf", {channel: "@max", user: "max"})
    const [own, common] = (await botMessages(host, "@zoe")).map(({files}) => files[0]?.sha256 ?? "")
    const pathOf = (sha256 = "") => host.project.path("data/files", sha256.slice(0, 2), sha256)
    expect([own, common].map(sha256 => existsSync(pathOf(sha256)))).toEqual([true, true])
    expect(await runCommand(host.project, "user forget sandbox zoe --yes", runtime)).toMatchObject({code: 0})
    expect([own, common].map(sha256 => existsSync(pathOf(sha256)))).toEqual([false, true])
  })

  test("are listed and saved by svc chat", async () => {
    const host = started()
    const {stdout} = await svc(runtime, host.project, ["chat", "--channel", "eight", "--save", "received"], {
      input: "/send page.html\n",
    })
    const saved = host.project.path("received/page.html")
    expect(stdout).toContain(`[file page.html, 18 B, saved to ${saved}]`)
    expect(host.project.read("received/page.html")).toBe("<script>1</script>")
    expect(statSync(saved).mode & 0o777).toBe(0o600)
    expect(readdirSync(host.project.path("data/files")).filter(name => name.endsWith(".tmp"))).toEqual([])
  })
})
