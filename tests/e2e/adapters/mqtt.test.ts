import {expect, test} from "vitest"
import {eventsOf, messageAfter, sendTo, svc, until, usuallyOn} from "../../support/host/host.ts"
import {makeCertificate} from "../../support/irc/servers.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {accountAt, mqttConfig, startMqttHost, untilMqtt, untilTexts} from "../../support/platforms/mqtt/host.ts"
import {passwords, startBroker} from "../../support/platforms/mqtt/mosquitto.ts"
import {endSession, joinBroker} from "../../support/platforms/mqtt/person.ts"

const runtime = usuallyOn("node22")
const start = (accounts: readonly ReturnType<typeof accountAt>[], env: Record<string, string> = {}) =>
  startMqttHost(accounts, {runtime, env})

describeWith("mosquitto", "openssl")(`mqtt at a real mosquitto, on ${runtime.name}`, () => {
  test("leaves messages with the broker while ingress is paused, and receives them in order afterwards", async () => {
    const broker = await startBroker()
    const ann = await joinBroker(broker)
    const host = await start([accountAt(broker)])
    await untilMqtt(host, "one", "online")
    await host.post("/api/ingress/pause")
    // More messages than the broker sends without an acknowledgement.
    const texts = Array.from({length: 30}, (_, index) => `line ${index + 1}`)
    for (const text of texts) await ann.say("room/in", text)
    const connects = broker.connects("bot")
    await untilTexts(host, [])
    expect(broker.connects("bot")).toBe(connects)
    await host.post("/api/ingress/resume")
    await untilTexts(host, texts)
  })

  test("receives messages published while the Host is dead, in order and once, by their user properties' ids", async () => {
    const broker = await startBroker()
    const ann = await joinBroker(broker)
    const accounts = [accountAt(broker)]
    let host = await startMqttHost(accounts, {own: true, runtime})
    await untilMqtt(host, "one", "online")
    const said: string[] = []
    for (let kill = 1; kill <= 3; kill++) {
      const saying = ["a", "b", "c"].map(letter => `${letter} ${kill}`)
      said.push(...saying)
      const spoken = saying.map(text =>
        ann.say("room/in", text, {properties: {userProperties: {id: text, user: "ann"}}}),
      )
      await host.stop("SIGKILL")
      await Promise.all(spoken)
      await ann.say("room/in", `away ${kill}`)
      said.push(`away ${kill}`)
      host = await startMqttHost(accounts, {own: true, runtime, project: host.project})
    }
    await untilTexts(host, said)
    expect((await eventsOf(host))[0]).toMatchObject({user: {id: "ann"}, channel: {id: "room"}})
  })

  test("answers a request on its response topic with its correlation data, if answers allows the topic", async () => {
    const broker = await startBroker()
    const ann = await joinBroker(broker, ["replies/ann", "secret/door", "room/out"])
    await untilMqtt(await start([accountAt(broker, {answers: ["replies/+"]})]), "one", "online")
    const correlationData = Buffer.from([0, 255, 7])
    await ann.say("room/in", "greet Ann", {properties: {responseTopic: "replies/ann", correlationData}})
    expect((await ann.hears("replies/ann", "hello Ann")).properties?.correlationData).toEqual(correlationData)
    await ann.say("room/in", "!greet Bob", {properties: {responseTopic: "secret/door"}})
    await ann.hears("room/out", "hello Bob")
    expect(ann.textsOf("secret/door")).toEqual([])
  })

  test("handles a message once: retained, by two subscriptions, and after the broker loses the session", async () => {
    const broker = await startBroker()
    const ann = await joinBroker(broker)
    await ann.say("state/door", "open", {retain: true})
    const account = accountAt(broker, {subscribe: [{topic: "state/#"}, {topic: "+/door"}]})
    const host = await start([account])
    await untilTexts(host, ["open"])
    const said = ["shut", "open", "open", "ajar"]
    for (const text of said) await ann.say("state/door", text, {retain: true})
    await untilTexts(host, ["open", ...said])
    await endSession(broker, "bot")
    await until("the bot to reconnect", () => broker.connects("bot") >= 3)
    await untilMqtt(host, "one", "online")
    await ann.say("state/window", "shut")
    await untilTexts(host, ["open", ...said, "shut"])
  })

  test("handles every change under a constant id, also after a kill, and a repeat once", async () => {
    const broker = await startBroker()
    const ann = await joinBroker(broker)
    const accounts = [accountAt(broker, {payload: {format: "json"}})]
    const host = await startMqttHost(accounts, {own: true, runtime})
    await untilMqtt(host, "one", "online")
    const say = (text: string) => ann.say("room/in", JSON.stringify({id: "lamp", text}))
    for (const text of ["on", "off", "on", "on", "off"]) await say(text)
    await untilTexts(host, ["on", "off", "on", "off"])
    await until("the warning", () => host.process.output().includes("payload.id"))
    await host.stop("SIGKILL")
    for (const text of ["off", "on"]) await say(text)
    const next = await startMqttHost(accounts, {own: true, runtime, project: host.project})
    await untilTexts(next, ["on", "off", "on", "off", "on"])
  })

  test("receives separate messages on several accounts, over TCP, WebSocket and TLS", async () => {
    const tls = await makeCertificate()
    const broker = await startBroker({tls})
    const ann = await joinBroker(broker, ["a/out", "b/out", "c/out"])
    const host = await start(
      [
        accountAt(broker, {id: "a", clientId: "bot-a", subscribe: [{topic: "a/in", channel: "a"}]}),
        accountAt(broker, {
          id: "b",
          clientId: "bot-b",
          url: broker.websocketUrl,
          subscribe: [{topic: "+/chat", channel: "{1}"}],
        }),
        accountAt(broker, {id: "c", clientId: "bot-c", url: broker.tlsUrl, subscribe: [{topic: "c/in", channel: "c"}]}),
      ],
      {NODE_EXTRA_CA_CERTS: tls.cert},
    )
    for (const id of ["a", "b", "c"]) await untilMqtt(host, id, "online")
    await ann.say("a/in", "!greet A")
    await ann.say("b/chat", "!greet B")
    await ann.say("c/in", "!greet C")
    await ann.hears("a/out", "hello A")
    await ann.hears("b/out", "hello B")
    await ann.hears("c/out", "hello C")
  })

  test("keeps receiving after malformed, binary and oversized payloads", async () => {
    const broker = await startBroker()
    const ann = await joinBroker(broker)
    const host = await start([accountAt(broker, {payload: {format: "json", text: "body.text", user: "from", id: "n"}})])
    await untilMqtt(host, "one", "online")
    const junk = [
      "{",
      "[]",
      "null",
      '{"body": {"text": 7}}',
      '{"body": null}',
      Buffer.from([0xff, 0xfe, 0]),
      "",
      '"\0"',
    ]
    for (const payload of junk) await ann.say("room/in", payload)
    await ann.say("room/in", JSON.stringify({body: {text: "x".repeat(10_000_000)}}))
    await ann.say("room/in", JSON.stringify({body: {text: "<b>&amp;\0"}, from: {}, n: "a\0b"}))
    await ann.say("room/in", JSON.stringify({body: {text: "last"}, from: "ann", n: 1}))
    await untilTexts(host, ["&lt;b&gt;&amp;amp;", "last"])
    const raw = (await eventsOf(host)).filter(({type}) => type === "internal")
    expect(raw).toHaveLength(junk.length)
    expect(raw[5]?._data).toMatchObject({topic: "room/in", base64: "//4A"})
  })

  test("unsubscribes from a topic that was removed from the configuration", async () => {
    const broker = await startBroker()
    const ann = await joinBroker(broker)
    const host = await start([accountAt(broker, {subscribe: [{topic: "one"}, {topic: "two"}]})])
    await untilMqtt(host, "one", "online")
    const connects = broker.connects("bot")
    host.project.write("svc.config.yml", mqttConfig([accountAt(broker, {subscribe: [{topic: "two"}]})]))
    await host.post("/api/system/reload")
    await until("another connection", () => broker.connects("bot") > connects)
    await untilMqtt(host, "one", "online")
    expect(broker.log()).toMatch(/Received UNSUBSCRIBE from bot\n.*\tone\n/)
    await ann.say("two", "heard")
    await untilTexts(host, ["heard"])
  })

  test("publishes on its status topic whether the bot is online, even after a kill", async () => {
    const broker = await startBroker()
    const ann = await joinBroker(broker, ["bots/one"])
    const account = accountAt(broker, {status: {topic: "bots/one", offline: "gone"}})
    const host = await startMqttHost([account], {own: true, runtime})
    await ann.hears("bots/one", "online")
    await host.stop("SIGKILL")
    await ann.hears("bots/one", "gone")
    const again = await startMqttHost([account], {own: true, runtime, project: host.project})
    await until("online again", () => ann.textsOf("bots/one").length === 3)
    expect((await again.stop()).code).toBe(0)
    await until("offline again", () => ann.textsOf("bots/one").join() === "online,gone,online,gone")
  })

  test("fails a message if the broker forbids its topic", async () => {
    const broker = await startBroker()
    const account = {username: "narrow", subscribe: [{topic: "free/in"}], publish: "{channel}"}
    const host = await start([accountAt(broker, account)], {MQTT_PASSWORD: passwords.narrow})
    await untilMqtt(host, "one", "online")
    const stateOf = async (channel: string) => messageAfter(host, await sendTo(host, "mqtt~one", channel, "hi"))
    expect(await stateOf("free/out")).toMatchObject({state: "sent"})
    expect(JSON.stringify(await stateOf("locked/out"))).toMatch(/"failed".*Not authorized/)
    expect(JSON.stringify(await stateOf("free/+"))).toMatch(/"failed".*\btopic to publish\b/)
  })

  test("fails if the broker refuses a subscription, and svc adapter check names the topic", async () => {
    const broker = await startBroker({access: "roles"})
    const account = accountAt(broker, {subscribe: [{topic: "free/in"}, {topic: "locked/in"}]})
    const host = await start([account])
    expect(await untilMqtt(host, "one", "failed")).toMatchObject({
      reason: "forbidden",
      error: expect.stringMatching(/\blocked\/in: Not authorized$/),
      remediation: expect.stringMatching(/\buser bot\b.*\blocked\/in\b.*\bsubscribe\.$/),
    })
    const checked = await svc(runtime, host.project, ["adapter", "check", "mqtt~one"], {
      env: {MQTT_PASSWORD: passwords.bot},
    })
    expect(checked.code).toBe(1)
    expect(checked.stdout).toMatch(
      /ok +credentials: .*\nok +subscription free\/in: granted\n.* subscription locked\/in: /,
    )
    expect(broker.log().match(/ as bot \(/g)).toHaveLength(1)
  })

  test("explains how to fix a wrong password, and never shows the password", async () => {
    const broker = await startBroker()
    const host = await start([accountAt(broker)], {MQTT_PASSWORD: "a-wrong-password"})
    expect(await untilMqtt(host, "one", "failed")).toMatchObject({
      reason: "credentials",
      error: expect.stringMatching(/\bclient: /),
      remediation: expect.stringMatching(/\busername\b.*\bpassword\b/),
    })
    expect(host.process.output()).not.toContain("a-wrong-password")
  })

  test("retries a broker that is offline, and connects once it is back", async () => {
    const broker = await startBroker()
    await broker.stop()
    const host = await start([accountAt(broker)])
    expect(await untilMqtt(host, "one", "reconnecting")).toMatchObject({
      error: expect.stringContaining("could not reach"),
    })
    await broker.start()
    await untilMqtt(host, "one", "online")
  })
})
