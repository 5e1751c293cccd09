import {hash} from "node:crypto"
import {readdirSync, readFileSync, rmSync, symlinkSync} from "node:fs"
import {join} from "node:path"
import {crc32, deflateSync} from "node:zlib"
import {Jimp} from "jimp"
import {describe, expect, test} from "vitest"
import {type Loopback, loopbackPlugin, startLoopback} from "../../support/adapters/loopback.ts"
import {bunOr, makeProject, type Project, printed, restore, root, startHost, until} from "../../support/host/host.ts"
import {mountDisk, needMounts} from "../../support/machine/disk.ts"
import {untilIdle} from "../../support/messages/messages.ts"
import {killedAt, release, untilDone, untilHeld, untilStored} from "./example.ts"

const sourceOf = (file: string) => readFileSync(join(root, "examples/files/plugins/files", file), "utf8")

/** A project with the example on the loopback platform, and the package that the example needs. */
const filesProject = (platform: Loopback, adapter = loopbackPlugin): Project => {
  const project = makeProject({
    config: `http: {port: 0}
database: {filename: data/bot.sqlite}
ingress: {minimumFree: 0}
plugins:
  loopback: {endpoints: [{id: one, url: "${platform.url}"}]}
  files: {}
`,
    plugins: {loopback: adapter},
    files: {"plugins/files/index.ts": sourceOf("index.ts"), "plugins/files/header.ts": sourceOf("header.ts")},
  })
  symlinkSync(join(root, "node_modules/jimp"), project.path("node_modules/jimp"))
  return project
}

/** A picture that takes a noticeable part of a second to decode. */
const makePicture = async (type: "image/png" | "image/jpeg"): Promise<Buffer> => {
  const made = new Jimp({width: 1600, height: 1200})
  for (let at = 0; at < made.bitmap.data.length; at++) made.bitmap.data[at] = at % 4 === 3 ? 255 : (at >> 5) & 255
  return Buffer.from(await made.getBuffer(type))
}

/** A valid picture of 900 million pixels in a few hundred kilobytes. */
const makeBomb = (): Buffer => {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const frame = Buffer.alloc(8)
    frame.writeUInt32BE(data.length)
    frame.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
  }
  const header = Buffer.from([0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30, 1, 0, 0, 0, 0])
  const rows = deflateSync(Buffer.alloc((30_000 / 8 + 1) * 30_000), {level: 1})
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1")
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))])
}

const [jpeg, png] = await Promise.all([makePicture("image/jpeg"), makePicture("image/png")])

/** Sends a picture as a user, either with a command to a channel or without one to the bot. */
const send = (platform: Loopback, name: string, bytes = jpeg, command?: string): void => {
  const element = platform.upload(name, name.endsWith("png") ? "image/png" : "image/jpeg", bytes)
  const where = command === undefined ? {user: "ann", channel: "@ann"} : {user: "ann", channel: "team"}
  platform.say(name, `${command ?? ""}${element}`, where)
}

/** Expects that the bot has sent exactly these pictures in these sizes. */
const expectSent = async (platform: Loopback, expected: Readonly<Record<string, string>>): Promise<void> => {
  const found = platform.sent.map(async ({deed, bytes}) => {
    const {width, height} = await Jimp.fromBuffer(bytes)
    return [deed, `${width} × ${height}`] as const
  })
  expect((await Promise.all(found)).toSorted()).toEqual(Object.entries(expected).toSorted())
}

/** The project's stored files by name, each with the hash of its content. */
const storedFiles = (project: Project): Readonly<Record<string, string>> => {
  const names = readdirSync(project.path("data/files"), {recursive: true, encoding: "utf8"}).filter(
    name => name.length > 64,
  )
  return Object.fromEntries(
    names.map(name => [name.slice(3), hash("sha256", readFileSync(project.path("data/files", name)))]),
  )
}

describe.each(bunOr("node24"))("the example files on $name", runtime => {
  test("answers each picture once, though the Host is killed while it resizes, sends and waits", async () => {
    const platform = await startLoopback()
    let host = await startHost({own: true, runtime, project: filesProject(platform)})
    const killAt = async (deed: string, cause: () => void) => {
      host = await killedAt(host, {platform, runtime, deed, cause})
    }
    await killAt("download cat.jpg", () => send(platform, "cat.jpg", jpeg, "/resize 320"))
    await untilDone(platform, "team: [cat-320.jpg]")
    await killAt("@ann: [dog-640.png]", () => send(platform, "dog.png", png))
    await until("the second attempt", () => platform.repeated() === 1)

    platform.away(true)
    send(platform, "owl.jpg")
    await untilStored(host, 1)
    await host.stop("SIGKILL")
    const stored = storedFiles(host.project)
    host = await startHost({own: true, runtime, project: host.project})
    platform.away(false)
    await untilDone(platform, "@ann: [owl-640.jpg]")
    await untilIdle(host)
    // Only the interrupted handler has run again.
    expect(platform.downloads).toEqual(["cat.jpg", "cat.jpg", "dog.png", "owl.jpg"])
    expect(platform.deeds.toSorted()).toEqual(["@ann: [dog-640.png]", "@ann: [owl-640.jpg]", "team: [cat-320.jpg]"])
    await expectSent(platform, {
      "@ann: [dog-640.png]": "640 × 480",
      "@ann: [owl-640.jpg]": "640 × 480",
      "team: [cat-320.jpg]": "320 × 240",
    })
    for (const {bytes} of platform.sent) expect(stored[hash("sha256", bytes)]).toBe(hash("sha256", bytes))

    send(platform, "large.png", Buffer.concat([png, Buffer.alloc(10_000_000 - png.length)]))
    send(platform, "bomb.png", makeBomb())
    await untilDone(
      platform,
      "@ann: large.png is larger than 8 MB. Send a smaller one.",
      "@ann: bomb.png has 30000 × 30000 pixels. I accept at most 8 million.",
    )
    expect((await host.stop()).code).toBe(0)
  })

  test("reports an answer that may have arrived as unknown, and sends it again on an operator's request", async () => {
    const platform = await startLoopback()
    const project = filesProject(platform, loopbackPlugin.replace("idempotent: true", "idempotent: false"))
    const deed = "@ann: [cat-640.jpg]"
    const first = await startHost({own: true, runtime, project})
    const host = await killedAt(first, {platform, runtime, deed, cause: () => send(platform, "cat.jpg")})
    const unknownOf = async () => (await host.get("/api/outbox", {state: "unknown"})).items
    const [row, ...others] = await unknownOf()
    expect({text: row?.text, others}).toEqual({text: "[cat-640.jpg]", others: []})
    expect(platform.deeds).toEqual([deed])
    await host.post("/api/outbox/:id/retry", {id: row?.id ?? ""})
    // The second attempt has the same id, which this platform recognizes.
    await until("the second attempt", () => platform.repeated() === 1)
    await untilIdle(host)
    expect(await unknownOf()).toEqual([])
    expect((await host.stop()).code).toBe(0)
  })

  test("continues from an archive on other disks, with every file, and sends the pending answer once", async context => {
    needMounts(context)
    const platform = await startLoopback()
    const before = await startHost({own: true, runtime, project: filesProject(platform)})
    send(platform, "cat.jpg")
    await untilDone(platform, "@ann: [cat-640.jpg]")
    await untilIdle(before)
    platform.away(true)
    send(platform, "dog.png", png, "/resize 100")
    await untilStored(before, 1)
    const elsewhere = filesProject(platform)
    const archive = elsewhere.path("bot.tar.gz")
    await printed(before.project, ["checkpoint", "create", "--output", archive], runtime)
    await before.stop("SIGKILL")
    const stored = storedFiles(before.project)
    expect(Object.entries(stored).filter(([name, hash]) => name !== hash)).toEqual([])
    expect(Object.keys(stored)).toHaveLength(2)
    rmSync(before.project.folder, {recursive: true})
    send(platform, "owl.jpg")

    for (const file of ["svc.config.yml", "package.json"]) rmSync(elsewhere.path(file))
    for (const folder of ["data", ".svc"]) mountDisk(elsewhere.path(folder), "64m")
    expect(await restore(elsewhere, archive, runtime)).toMatchObject({held: {outbox: 1, inbox: 0}})
    expect(storedFiles(elsewhere)).toEqual(stored)

    platform.away(false)
    let host = await startHost({own: true, runtime, project: elsewhere})
    await untilHeld(host, {inbox: 1, outbox: 1, timers: 0})
    expect(platform.deeds).toEqual(["@ann: [cat-640.jpg]"])
    host = await killedAt(host, {
      platform,
      runtime,
      deed: "team: [dog-100.png]",
      cause: () => void host.post("/api/outbox/:id/release", {id: "held"}).catch(() => {}),
    })
    await until("the second attempt", () => platform.repeated() === 1)
    await release(host, runtime, "inbox")
    await untilDone(platform, "@ann: [owl-640.jpg]")
    await untilIdle(host)
    await untilHeld(host, {inbox: 0, outbox: 0, timers: 0})
    await expectSent(platform, {
      "@ann: [cat-640.jpg]": "640 × 480",
      "@ann: [owl-640.jpg]": "640 × 480",
      "team: [dog-100.png]": "100 × 75",
    })
    const [, dog] = platform.sent
    expect(stored[hash("sha256", dog?.bytes ?? Buffer.alloc(0))]).toBeDefined()
    expect((await host.stop()).code).toBe(0)
  })
})
