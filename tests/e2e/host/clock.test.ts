import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {type Project, pluginWith, startHost, type TestHost, until, untilPrinted} from "../../support/host/host.ts"
import {bunOr, type TestRuntime} from "../../support/host/runtimes.ts"
import {untilEndpoint} from "../../support/irc/host.ts"
import {joinIrc, startIrcServer} from "../../support/irc/servers.ts"
import {makeClock} from "../../support/machine/clock.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {gapsOf} from "../../support/messages/gaps.ts"
import {messageIn} from "../../support/messages/messages.ts"
import {untilShop} from "../../support/webhooks/host.ts"
import {type Delivery, deliver, secretOf, startReceiver} from "../../support/webhooks/webhooks.ts"

const hour = 3600
const secret = secretOf("clock")
const env = {HTTP_TOKEN: "full-token-of-the-test", PARTNER_SECRET: secret}
const config = (receiver: string, irc: {readonly port: number}) =>
  JSON.stringify({
    http: {port: 0, token: "${HTTP_TOKEN}"},
    plugins: {
      sandbox: {},
      clock: {},
      webhook: {endpoints: [{id: "shop", url: receiver, secrets: ["${PARTNER_SECRET}"]}]},
      irc: {
        endpoints: [
          {id: "main", server: "127.0.0.1", port: irc.port, tls: false, nick: "svcbot", channels: ["#lounge"]},
        ],
      },
    },
  })

/** Notes each message and answers it, on IRC with lines that must wait. `stumble` throws once, `ask-me` asks. */
const clockPlugin = pluginWith(`
    let stumbled = false
    const name = plugin.prompt("name", {expires: 3}, ({answer}) => "hello " + answer)
    plugin.on("message-created", {retries: 1}, async session => {
      if (session.text === "ask-me") return void (await session.prompt(name, "who are you?"))
      if (session.text === "stumble" && !stumbled) {
        stumbled = true
        throw new Error("stumbled")
      }
      note(session.text)
      if (session.endpoint === "webhook~shop") return "got " + session.text
      return Array.from({length: 7}, (_, n) => session.text + n).join("\\n")
    })`)

const startScene = async (runtime: TestRuntime) => {
  const clock = makeClock()
  const irc = await startIrcServer("ngircd")
  let isBusy = false
  const answer = ({body}: Delivery, attempt: number) =>
    body.text === "got again" && (isBusy || attempt === 1)
      ? {status: 503, headers: {"retry-after": "2"}}
      : {status: 200}
  /** Sets whether the receiver refuses "got again" for now. Otherwise it accepts the second attempt. */
  const beBusy = (busy: boolean) => {
    isBusy = busy
  }
  const receiver = await startReceiver(secret, answer, {ignoresTime: true})
  const start = async (project?: Project) => {
    const host = await startHost({
      own: true,
      runtime,
      env: {...env, ...clock.env},
      ...(project === undefined ? {config: config(receiver.url, irc), plugins: {clock: clockPlugin}} : {project}),
    })
    await untilShop(host)
    return host
  }
  /** Sends a text, which is also the event's id, as a partner with a clock that is `off` seconds off. */
  const say = (host: TestHost, text: string, {channel = "one", off = 0} = {}) =>
    deliver(`${host.url}/hooks/webhook/webhook~shop`, JSON.stringify({text, channel, user: "ann"}), {
      id: text,
      secret,
      timestamp: Math.floor(Date.now() / 1000) + off,
    })
  const answers = () => receiver.deliveries.map(({body}) => body.text)
  const untilAnswer = (text: string, times = 1) =>
    until(`the answer "${text}"`, () => answers().filter(answer => answer === text).length >= times)
  return {clock, irc, start, say, answers, untilAnswer, beBusy}
}

const statesOf = async (host: TestHost) => (await host.get("/api/inbox", {limit: 500})).items.map(({state}) => state)

describeWith("ngircd", "faketime")("a clock that is set back by an hour", () => {
  test.each(bunOr("node22"))(
    "while the Host runs delays nothing, and still decides which signatures are valid, on $name",
    async runtime => {
      const {clock, irc, start, say, answers, untilAnswer} = await startScene(runtime)
      const host = await start()
      await untilEndpoint(host, "main", "online")
      const alice = await joinIrc(irc, "alice", {channel: "#lounge"})
      alice.say("#lounge", "one ")
      await until("more lines than go out at once", () => alice.heard("svcbot", "#lounge").length === 7)
      for (const text of ["a", "b", "c"]) expect((await say(host, text)).status).toBe(202)
      await untilAnswer("got c")
      expect((await say(host, "ask-me", {channel: "quiz"})).status).toBe(202)
      await untilAnswer("who are you?")
      const asked = performance.now()
      const before = Date.now()
      await irc.kill()
      await untilEndpoint(host, "main", "reconnecting")
      const after = Date.now()

      clock.set(-hour)
      expect(await (await say(host, "early")).json()).toMatchObject({
        code: "signature_invalid",
        detail: expect.stringMatching(/ ahead\b/),
      })
      for (const text of ["d", "stumble", "e", "again"]) expect((await say(host, text, {off: -hour})).status).toBe(202)
      await untilAnswer("got again", 2)
      await irc.start()
      await untilEndpoint(host, "main", "online")
      const bob = await joinIrc(irc, "bob", {channel: "#lounge"})
      bob.say("#lounge", "two ")
      await until("more lines than go out at once", () => bob.heard("svcbot", "#lounge").length === 7)
      await sleep(Math.max(0, 3000 - (performance.now() - asked)))
      expect((await say(host, "too-late", {channel: "quiz", off: -hour})).status).toBe(202)
      await untilAnswer("got too-late")

      expect(answers().filter(text => text.startsWith("hello"))).toEqual([])
      const noted = host.project.read("notes.log").trim().split("\n")
      expect(noted).toEqual(["one", "a", "b", "c", "d", "stumble", "e", "again", "two", "too-late"])
      expect(new Set(await statesOf(host))).toEqual(new Set(["handled"]))
      const gaps = (await gapsOf(host)).filter(({endpoint}) => endpoint === "irc~main")
      expect(gaps).toMatchObject([{reason: "connection_lost"}])
      // By either clock, the gap includes the time for which the bot was offline.
      expect(Date.parse(gaps[0]?.from ?? "")).toBeLessThanOrEqual(after - hour * 1000 + 1000)
      expect(Date.parse(gaps[0]?.to ?? "")).toBeGreaterThanOrEqual(before)
      const {uptime} = await host.get("/api/system/status")
      expect(uptime).toBeGreaterThan(0)
      expect((await host.stop()).code).toBe(0)
    },
    180_000,
  )

  test.each(bunOr("node22"))(
    "between two runs delays nothing and is logged, on $name",
    async runtime => {
      const {clock, start, say, answers, untilAnswer, beBusy} = await startScene(runtime)
      const first = await start()
      await untilEndpoint(first, "main", "online")
      for (const text of ["a", "b"]) expect((await say(first, text)).status).toBe(202)
      expect((await say(first, "ask-me", {channel: "quiz"})).status).toBe(202)
      await untilAnswer("who are you?")
      beBusy(true)
      expect((await say(first, "again")).status).toBe(202)
      const queued = await until("the answer to wait for its next attempt", async () => {
        const {items} = await first.get("/api/outbox")
        return items.find(({state, error}) => state === "queued" && error !== undefined)
      })
      await first.stop("SIGKILL")
      beBusy(false)

      clock.set(-hour)
      const second = await start(first.project)
      const started = performance.now()
      await untilPrinted(second.process, /the clock is 3\d\d\d s behind/)
      expect((await say(second, "c", {off: -hour})).status).toBe(202)
      await messageIn(second, queued.id, "sent")
      await untilAnswer("got c")
      await sleep(Math.max(0, 3000 - (performance.now() - started)))
      expect((await say(second, "too-late", {channel: "quiz", off: -hour})).status).toBe(202)
      await untilAnswer("got too-late")
      expect(answers().filter(text => text.startsWith("hello"))).toEqual([])
      expect(first.project.read("notes.log").trim().split("\n")).toEqual(["a", "b", "again", "c", "too-late"])
      expect(new Set(await statesOf(second))).toEqual(new Set(["handled"]))
      const gaps = await until("the gaps to end", async () => {
        const found = await gapsOf(second)
        return found.length > 0 && found.every(({to}) => to !== null) && found
      })
      expect(gaps.filter(({from, to}) => Date.parse(from) > Date.parse(to ?? ""))).toEqual([])

      // The next start does not report the same change of the clock again.
      await second.stop("SIGKILL")
      const {code, stdout} = await (await start(first.project)).stop()
      expect(code).toBe(0)
      expect(stdout).not.toContain("the clock is")
    },
    180_000,
  )
})
