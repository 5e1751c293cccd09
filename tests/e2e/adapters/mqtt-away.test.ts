import {expect, test} from "vitest"
import {changeDatabase} from "../../support/database/databases.ts"
import {bunAnd, type Project, pluginWith, startHost, type TestRuntime, until} from "../../support/host/host.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {accountAt, mqttConfig, untilMqtt} from "../../support/platforms/mqtt/host.ts"
import {type Broker, passwords, startBroker} from "../../support/platforms/mqtt/mosquitto.ts"
import {joinBroker} from "../../support/platforms/mqtt/person.ts"

/** In milliseconds. */
const twentyHours = 72_000_000

const door = pluginWith(`plugin.command("open <n>", ({args}) => "opened " + args.n)
  plugin.command("stick", () => new Promise(() => {}))`)

/** A Host in its own process, with an age limit of an hour or none. */
const launch = (broker: Broker, runtime: TestRuntime, isLimited: boolean, project?: Project) =>
  startHost({
    own: true,
    runtime,
    env: {MQTT_PASSWORD: passwords.bot},
    config: JSON.stringify({
      ...JSON.parse(mqttConfig([accountAt(broker)])),
      plugins: {door: {}, mqtt: {endpoints: [accountAt(broker)]}},
      ...(isLimited ? {inbox: {maxAge: {commands: "1h"}}} : {}),
    }),
    plugins: {door},
    ...(project === undefined ? {} : {project}),
  })

/** Moves what a stopped Host stored 20 hours back. */
const letTimePass = async (project: Project) => {
  const file = project.path(".svc/data.sqlite")
  const at = "json_extract(value, '$.at')"
  await changeDatabase(
    file,
    `UPDATE svc_meta SET value = json_set(value, '$.at', ${at} - ${twentyHours}) WHERE key = 'endpoints.pasts'`,
  )
  const timestamp = `json_extract(event, '$.timestamp') - ${twentyHours}`
  await changeDatabase(
    file,
    `UPDATE inbox SET received_at = received_at - ${twentyHours}, event = json_set(event, '$.timestamp', ${timestamp})`,
  )
}

describeWith("mosquitto").each(bunAnd("node24"))("an outage of 20 hours at a real mosquitto, on $name", runtime => {
  test.each([
    {isLimited: true, expired: 62, said: 1},
    {isLimited: false, expired: 0, said: 62},
  ])("62 queued commands: $expired expire, and the bot says $said things", async ({isLimited, expired, said}) => {
    const broker = await startBroker()
    const ann = await joinBroker(broker, ["room/out"])
    const first = await launch(broker, runtime, isLimited)
    await untilMqtt(first, "one", "online")
    await first.stop()
    await letTimePass(first.project)
    for (let n = 1; n <= 62; n++) await ann.say("room/in", `/open ${n}`)
    const host = await launch(broker, runtime, isLimited, first.project)
    const ended = async (state: string) => (await host.get("/api/inbox", {state, limit: 100})).items.length
    await until("62 events to end", async () => (await ended("handled")) + (await ended("expired")) === 62)
    expect(await ended("expired")).toBe(expired)
    await until("the answers", () => ann.textsOf("room/out").length === said)
    expect(ann.textsOf("room/out").filter(text => text.startsWith("opened"))).toHaveLength(62 - expired)
    await ann.say("room/in", "/open 63")
    await ann.hears("room/out", "opened 63")
    expect(ann.textsOf("room/out")).toHaveLength(said + 1)
  })

  test("a command that a kill cut off expires 20 hours later", async () => {
    const broker = await startBroker()
    const ann = await joinBroker(broker, ["room/out"])
    const first = await launch(broker, runtime, true)
    await untilMqtt(first, "one", "online")
    await ann.say("room/in", "/stick")
    await until("the command to run", async () =>
      JSON.stringify(await first.get("/api/inbox", {state: "running"})).includes("stick"),
    )
    await first.stop("SIGKILL")
    await letTimePass(first.project)
    const host = await launch(broker, runtime, true, first.project)
    await until("the command to expire", async () =>
      JSON.stringify(await host.get("/api/inbox", {state: "expired"})).includes("stick"),
    )
    await until("the notice", () => ann.textsOf("room/out").length === 1)
  })
})
