import {createServer, type ServerResponse} from "node:http"
import {describe, expect, test} from "vitest"
import {bunAnd, pluginWith, posting, startHost, svc} from "../../support/host/host.ts"
import {listen} from "../../support/machine/listen.ts"

const mebibyte = 1024 * 1024
/** Three times as much as V8 lets wait for garbage collection outside of its heap. */
const large = 192 * mebibyte

/** Returns the content of a message's files, or only their size and the growth of memory. */
const reader = pluginWith(`
    const why = (error: any) => error.code + ": " + error.message
    plugin.command("pic", async ({session}) => {
      const lines = await Promise.all(session.files.map(async file => {
        const text = await file.read().then(body => new Response(body).text()).catch(why)
        return [file.element.type, file.name, file.type, file.size, text].join(" ")
      }))
      return lines.join("\\n") || "no files"
    })
    plugin.command("count [limit:integer]", async ({args, session}) => {
      const before = process.memoryUsage().rss
      let count = 0
      let most = before
      try {
        const body = await session.files[0]!.read(args.limit === undefined ? {} : {limit: args.limit})
        for (const reader = body.getReader(); ;) {
          const {done, value} = await reader.read()
          if (done) break
          count += value.byteLength
          most = Math.max(most, process.memoryUsage().rss)
        }
        return count + " " + (most - before)
      } catch (error) {
        return count + " " + why(error)
      }
    })
    plugin.command("remember <text:text>", ({args}) => args.text)`)

const pour = (response: ServerResponse): void => {
  const chunk = Buffer.alloc(64 * 1024)
  let left = large / chunk.length
  const go = () => {
    while (left-- > 0) if (!response.write(chunk)) return void response.once("drain", go)
    response.end()
  }
  go()
}

const answers: Readonly<Record<string, (response: ServerResponse, others: string) => void>> = {
  "/notes/hello.txt?key=1": response => void response.end("hello"),
  "/away": response => void response.writeHead(302, {location: "/notes/hello.txt?key=1"}).end(),
  "/inside": (response, others) => void response.writeHead(302, {location: others}).end(),
  "/sized": response => pour(response.writeHead(200, {"content-length": large})),
  "/endless": pour,
}

/** Starts a server on this machine. `others` is an address that the Host must not read. */
const serve = async (others: string): Promise<string> => {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ""]
    if (answer === undefined) response.writeHead(404).end()
    else answer(response, others)
  })
  const port = await listen(server)
  return `127.0.0.1:${port}`
}

describe.each(bunAnd("node24"))("files of a message on $name", runtime => {
  test("are read by its handler, from the sandbox and from permitted addresses", async () => {
    const forbidden = await serve("")
    const server = await serve(`http://${forbidden}/sized`)
    const host = await startHost({
      runtime,
      config: `http: {port: 0}\nfiles: {allowPrivate: ["${server}"]}\nplugins: {sandbox: {}, reader: {}}\n`,
      plugins: {reader},
    })
    const at = (path: string) => ({src: `http://${server}${path}`})
    const say = async (text: string, ...files: readonly object[]) => (await host.say(text, {files})).join("\n")

    const upload = {name: "a.txt", type: "text/plain", data: Buffer.from("from the sandbox").toString("base64")}
    expect(await say("/pic", upload, {...at("/away"), name: "cat.png", type: "image/png"})).toBe(
      "file a.txt text/plain 16 from the sandbox\nimg cat.png image/png  hello",
    )
    expect(await say("/pic", at("/notes/hello.txt?key=1"))).toBe("file hello.txt text/plain  hello")
    expect(await say("/pic")).toBe("no files")
    expect(await say("/remember milk", upload, at("/notes/hello.txt?key=1"))).toBe("milk")

    expect((await say("/pic", at("/inside"), {src: `http://${forbidden}/sized`}, at("/missing"))).split("\n")).toEqual([
      expect.stringContaining(`file_refused: ${forbidden} `),
      expect.stringContaining(`file_refused: ${forbidden} `),
      expect.stringContaining(`file_unavailable: ${server} answered 404`),
    ])
    expect(await say("/pic", {src: "sandbox:unknown", name: "gone.txt"})).toContain("platform_failed: ")

    expect(await say("/count", at("/sized"))).toMatch(new RegExp(`^0 file_too_large: the file has ${large} bytes`))
    expect(await say("/count", at("/endless"))).toMatch(
      /^33\d{6} file_too_large: the file has more than 33554432 bytes/,
    )
    const [count, growth] = (await say(`/count ${large}`, at("/endless"))).split(" ").map(Number)
    expect(count).toBe(large)
    expect(growth).toBeLessThan(large / 2)
  })

  test("are attached in svc chat, and rejected before sending if the sandbox does not accept them", async () => {
    const host = await startHost({
      runtime,
      config: "http: {port: 0}\nplugins: {sandbox: {}, reader: {}}\n",
      plugins: {reader},
    })
    const {project} = host
    project.write("notes.txt", "line")
    project.write("large.bin", Buffer.alloc(mebibyte))
    const chat = (input: string, ...paths: string[]) =>
      svc(runtime, project, ["chat", ...paths.flatMap(path => ["--attach", path])], {input})
    expect(await chat("/pic\n/pic\n", "notes.txt", "notes.txt")).toMatchObject({
      code: 0,
      stdout: "file notes.txt text/plain 4 line\nfile notes.txt text/plain 4 line\nno files\n",
      stderr: "",
    })
    expect(await chat("", "notes.txt")).toMatchObject({code: 0, stdout: "", stderr: ""})
    expect(await chat("/pic\n", "large.bin")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /^svc: --attach: large.bin: 1 MiB; the sandbox accepts 512 KiB\n {2}hint: Attach smaller/,
      ),
    })
    expect(await chat("/pic\n", "none.txt")).toMatchObject({code: 1, stderr: expect.stringContaining("none.txt")})

    const post = async (body: object) => {
      const answer = await host.fetch("/api/plugins/sandbox/messages", posting(body))
      const {code, detail} = (await answer.json()) as {code: string; detail: string}
      return `${answer.status} ${code} ${detail}`
    }
    const data = (size: number) => Buffer.alloc(size).toString("base64")
    expect(await post({files: [{data: data(400_000)}, {data: data(300_000)}]})).toMatch(
      /^413 file_too_large the files have/,
    )
    expect(await post({files: [{name: "x"}]})).toMatch(/^400 request_invalid files\[0\]: .*\bdata or src\b/)
    expect(await post({files: [{data: "a*b"}]})).toMatch(/^400 request_invalid files\[0\].data is not base64/)
    expect(await post({text: ""})).toMatch(/^400 request_invalid text: .*\bwithout files\b/)
  })
})
