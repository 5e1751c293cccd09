import {expect, test} from "vitest"
import {runtimes, startHost, type TestHost, type TestRuntime, until} from "../../support/host/host.ts"
import {joinIrc, startIrcServer} from "../../support/irc/servers.ts"
import {layCable} from "../../support/machine/cable.ts"
import {describeWith, findTool} from "../../support/machine/tools.ts"
import {inboxOf} from "../../support/messages/inbox.ts"
import {botMessages, tell} from "../../support/messages/messages.ts"
import {boardAdapter, startBoard} from "./board.ts"
import {describeWithKoishi, type Koishi, startKoishi} from "./koishi.ts"

const env = {HTTP_TOKEN: "full-token-of-the-test"}

const portOf = (host: TestHost) => Number(new URL(host.url).port)

const configFor = (ircPort: number) =>
  JSON.stringify({
    http: {port: 0, token: "${HTTP_TOKEN}"},
    plugins: {
      sandbox: {},
      irc: {
        endpoints: [
          {id: "main", server: "127.0.0.1", port: ircPort, tls: false, nick: "svcbot", channels: ["#lounge"]},
        ],
      },
    },
  })

const stored = async (host: TestHost) =>
  (await inboxOf(host)).map(({seq, event}) => ({sn: seq, content: event.message?.content}))

const saidInSandbox = async (host: TestHost) =>
  (await host.get("/api/outbox", {limit: 500})).items
    .filter(({endpoint, state}) => endpoint === "sandbox" && state === "sent")
    .map(({text}) => text)
    .reverse()

/** Expects that Koishi has received every stored event once and in order. */
const expectAll = async (host: TestHost, koishi: Koishi) => {
  const events = await stored(host)
  await until("Koishi to have the newest event", () => koishi.events().at(-1)?.sn === events.at(-1)?.sn).catch(() => {})
  expect(koishi.events().map(({sn, content}) => ({sn, content}))).toEqual(events)
}

const setUp = async (runtime: TestRuntime, own = false) => {
  const server = await startIrcServer("ngircd")
  const alice = await joinIrc(server, "alice", {channel: "#lounge"})
  const host = await startHost({own, runtime, env, config: configFor(server.port)})
  await alice.sees(/^:svcbot!\S+ JOIN :?#lounge/)
  const cable = await layCable(portOf(host))
  const koishi = startKoishi(cable.port, env.HTTP_TOKEN)
  await koishi.online("irc:svcbot", "sandbox:bot")
  return {alice, host, cable, koishi}
}

const hosts = runtimes.filter(({name}) => name !== "node24")
const inSandbox = (text: string) => ({text, channel: "room", user: "carol", group: true})
const numbers = (prefix: string) => [1, 2, 3, 4].map(n => `${prefix} ${n}`)

const describeKoishi = findTool("ngircd") === undefined ? describeWith("ngircd") : describeWithKoishi()

describeKoishi("stock Koishi as a Satori client", () => {
  test.each(hosts)(
    "answers on IRC and in the sandbox, and resumes without loss or repetition after a kill (on $name)",
    async runtime => {
      const {alice, host, cable, koishi} = await setUp(runtime, true)
      expect(await alice.asks("svcbot", "#lounge", ".kping channel")).toBe("kpong channel")
      expect(await alice.asks("svcbot", "svcbot", ".kping you & me")).toBe("kpong you & me")
      await tell(host, inSandbox(".kping room"))
      await until("the answer in the sandbox", async () => (await saidInSandbox(host)).includes("kpong room"))

      cable.cut()
      for (const text of numbers(".kping irc")) alice.say("#lounge", text)
      for (const text of numbers(".kping sandbox")) await tell(host, inSandbox(text))
      await until("all messages to be stored", async () => (await stored(host)).length === 11)
      expect(koishi.events()).toHaveLength(3)
      await host.stop("SIGKILL")

      const next = await startHost({runtime, env, project: host.project})
      cable.join(portOf(next))
      const heard = () => alice.heard("svcbot", "#lounge")
      await until("the answers on IRC", () => heard().length >= 5)
      await until("the answers in the sandbox", async () => (await saidInSandbox(next)).length >= 5)
      expect(await alice.asks("svcbot", "#lounge", ".kping last")).toBe("kpong last")
      expect([...heard()].sort()).toEqual(["kpong channel", ...numbers("kpong irc"), "kpong last"])
      expect([...(await saidInSandbox(next))].sort()).toEqual(["kpong room", ...numbers("kpong sandbox")])
      await expectAll(next, koishi)
    },
    180_000,
  )

  test.each(hosts)("edits and deletes messages through the Host (on $name)", async runtime => {
    const board = await startBoard()
    const config = JSON.stringify({
      http: {port: 0, token: "${HTTP_TOKEN}"},
      plugins: {board: {endpoints: [{id: "one", port: board.port}]}},
    })
    const host = await startHost({runtime, env, config, plugins: {board: boardAdapter}})
    await startKoishi(portOf(host), env.HTTP_TOKEN).online("board:bot")
    await host.plugin("/api/plugins/board/tell", {text: ".kedit better"})
    await until("Koishi's answer", () => [...board.shown.values()].includes("done"))
    expect(board.asked).toEqual(["send m1 draft", "edit m1 better", "send m2 gone", "delete m2", "send m3 done"])
    expect([...board.shown.values()]).toEqual(["better", "done"])
    const acts = async () => {
      const {items} = await host.get("/api/outbox")
      return items.map(({kind, state}) => `${kind} ${state}`).reverse()
    }
    await until("the last message to be sent", async () => (await acts()).at(-1) === "message sent")
    expect(await acts()).toEqual(["message sent", "edit sent", "message sent", "delete sent", "message sent"])
  })

  test.each(hosts)("uploads files, and reads files that only the adapter can open (on $name)", async runtime => {
    const config = JSON.stringify({http: {port: 0, token: "${HTTP_TOKEN}"}, plugins: {sandbox: {}}})
    const host = await startHost({runtime, env, config})
    await host.say("hello", {channel: "files"})
    await startKoishi(portOf(host), env.HTTP_TOKEN).online("sandbox:bot")
    const said = () => botMessages(host, "files")
    await tell(host, {text: ".kfile a text & more", channel: "files", user: "carol"})
    const [sent] = await until("the file", async () => (await said()).length === 1 && said())
    expect(sent?.files).toMatchObject([{name: "from koishi.txt", type: "text/plain", size: 13}])
    const data = Buffer.from("read by koishi").toString("base64")
    await host.plugin("/api/plugins/sandbox/messages", {
      text: ".kread ",
      channel: "files",
      user: "carol",
      files: [{name: "a.txt", type: "text/plain", data}],
    })
    await until("the answer with the file's content", async () => (await said()).at(-1)?.text === "read by koishi")
  })

  test("loses and repeats no message when its connection is cut several times during traffic", async () => {
    const [runtime] = hosts
    if (runtime === undefined) throw new Error("Bun is always there")
    const {host, cable, koishi} = await setUp(runtime)
    for (let round = 1; round <= 5; round++) {
      const telling = Array.from({length: 20}, (_, n) => tell(host, inSandbox(`message ${round}.${n}`)))
      await telling[5]
      cable.cut()
      await Promise.all(telling)
      cable.join(portOf(host))
      await until("Koishi to receive the round's messages", async () => koishi.events().length === round * 20)
    }
    await expectAll(host, koishi)
  })
})
