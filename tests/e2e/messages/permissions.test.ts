import {expect, test} from "vitest"
import {posting} from "../../support/host/client.ts"
import {expectProblem, type HostOptions, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {makeProject} from "../../support/host/project.ts"
import {bunOr, onBun} from "../../support/host/runtimes.ts"
import {joinIrc, startIrcServer} from "../../support/irc/servers.ts"
import {startServices} from "../../support/irc/services.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {answer, unknownCommand} from "../../support/messages/answers.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"

/** Commands for everybody and for some users, one with a cooldown, and one that returns the user's permission. */
const bot = pluginWith(`
    plugin.command("deploy", {description: "Ship it", permission: "admin"}, () => "deployed")
    plugin.command("topic <text:text>", {description: "Set the topic", permission: "trusted"}, ({args}) => "topic: " + args.text)
    plugin.command("roll", {description: "Roll a die", cooldown: {per: "user", seconds: 3600}}, () => "4")
    plugin.command("whoami", ({session}) => session.permission)`)

type Rule = Readonly<Record<string, string>>

const configOf = (permissions: readonly Rule[], more: object = {}) =>
  JSON.stringify({http: {port: 0}, permissions, plugins: {bot: {}, sandbox: {}, ...more}})

const rules: readonly Rule[] = [
  {endpoint: "sandbox", user: "ada", permission: "admin"},
  {endpoint: "sandbox", channel: "ops", permission: "trusted"},
]

const startBotHost = (permissions: readonly Rule[], options: HostOptions = {}) =>
  startHost({args: ["--no-watch"], config: configOf(permissions), plugins: {bot}, ...options})

const refusedReload = (host: TestHost) => host.fetch("/api/system/reload", posting())

const permissionOf = async (host: TestHost, user: string, channel = "c", group = true) =>
  (await host.say("/whoami", {user, channel, group})).join()

test.each(bunOr("node24"))("a command is run and seen by users with the permission only, on $name", async runtime => {
  const host = await startBotHost(rules, {runtime})
  const says = async (user: string, text: string, channel = "c") =>
    (await host.say(text, {user, channel, group: true})).join()
  expect(await says("ada", "/deploy")).toBe("deployed")
  expect(await says("bob", "/deploy")).toBe("/deploy needs the permission admin.")
  expect(await says("bob", "/topic tea", "ops")).toBe("topic: tea")
  expect(await says("bob", "/topic", "c")).toBe("/topic needs the permission trusted.")
  expect(await says("bob", "/help")).toBe(
    `Commands:\n/help [command...]: ${answer("help.description")}\n/roll: Roll a die\n/whoami`,
  )
  expect(await says("ada", "/help")).toContain("/deploy: Ship it\n")
  expect(await says("bob", "/help", "ops")).toContain("/topic <text...>: Set the topic")
  expect(await says("bob", "/help deploy")).toBe(unknownCommand("deploy"))
  expect(await says("ada", "/help deploy")).toBe("/deploy: Ship it")
  expect(await says("bob", "/deplo")).toBe("")
  expect(await says("ada", "/deplo")).toBe(unknownCommand("deplo", "/deploy"))
  // The Host's answer about a user agrees with what happens when that user tries, and names the right rule.
  const {rules: listed} = await host.get("/api/permissions")
  expect(listed.map(({index, user, channel, line}) => ({index, user, channel, line}))).toEqual([
    {index: 0, user: "ada", channel: null, line: 1},
    {index: 1, user: null, channel: "ops", line: 1},
  ])
  for (const [user, channel, rule] of [
    ["ada", "ops", 0],
    ["bob", "ops", 1],
    ["bob", "c", undefined],
  ] as const) {
    const answer = await host.get("/api/permissions/user", {endpoint: "sandbox", user, channel})
    expect(answer.rule?.index).toBe(rule)
    expect([answer.permission]).toEqual([await says(user, "/whoami", channel)])
    const may = (name: string) => answer.uses.find(use => use.name === name)?.allowed
    expect(may("deploy")).toBe(!(await says(user, "/deploy", channel)).includes("needs the permission"))
    expect(may("topic")).toBe(!(await says(user, "/topic tea", channel)).includes("needs the permission"))
  }
  // In a direct conversation, no channel rule applies, whatever the channel's id.
  expect(await host.get("/api/permissions/user", {endpoint: "sandbox", user: "ops"})).toMatchObject({rule: null})
  await expectProblem(await host.fetch("/api/permissions/user?endpoint=nowhere&user=ada"), 404, "endpoint_unknown")
  const told = await svc(onBun, host.project, ["user", "may", "sandbox", "bob", "--channel", "ops"])
  expect(told.stdout).toMatch(/permission +trusted\nrule +svc.config.yml:1:\d+ permissions\[1\]\n/)
  expect(told.stdout).toMatch(/no +command deploy +bot +admin/)
  const below = await svc(onBun, host.project, ["user", "may", "sandbox", "-7", "--channel", "-100123", "--account=-7"])
  expect(below).toMatchObject({code: 0, stderr: ""})
  const {marks} = await host.get("/api/inbox/:seq", {seq: 2})
  expect(marks.map(({state}) => state)).toEqual(["handled"])
})

test("a reload changes rules without replacing the plugin's instance, and an invalid rule changes nothing", async () => {
  const host = await startBotHost(rules)
  expect(await permissionOf(host, "bob")).toBe("user")
  expect(await host.say("/roll", {user: "bob"})).toEqual(["4"])
  host.project.write("svc.config.yml", configOf([{endpoint: "sandbox", user: "bob", permission: "trusted"}]))
  expect(await host.post("/api/system/reload")).toMatchObject({committed: true, generation: 2})
  expect([await permissionOf(host, "bob"), await permissionOf(host, "ada")]).toEqual(["trusted", "user"])
  expect(await host.say("/roll", {user: "bob"})).toEqual([
    expect.stringMatching(/^\/roll is cooling down: \d+ s to go\.$/),
  ])
  host.project.write("svc.config.yml", configOf([{endpoint: "sandboxx", permission: "admin"}]))
  expect(await (await refusedReload(host)).json()).toMatchObject({
    code: "config_invalid",
    issues: [{path: "permissions[0].endpoint", message: expect.stringMatching(/"sandboxx".*"sandbox"/)}],
  })
  expect(await permissionOf(host, "bob")).toBe("trusted")
})

test("a user who calls too often gets one refusal", async () => {
  const host = await startBotHost([])
  const roll = async (user: string) => (await host.say("/roll", {user, channel: "c", group: true})).join()
  expect([await roll("ada"), await roll("ada"), await roll("ada"), await roll("bob")]).toEqual([
    "4",
    expect.stringMatching(/^\/roll is cooling down: \d+ s to go\.$/),
    "",
    "4",
  ])
})

test("a command with an invalid permission or cooldown keeps the generation from being committed", async () => {
  const told = async (definition: string) => {
    const source = pluginWith(`plugin.command("x", ${definition} as never, () => "")`)
    const project = makeProject({config: JSON.stringify({plugins: {bot: {}}}), plugins: {bot: source}})
    return (await svc(onBun, project, ["config", "check"])).stderr
  }
  expect(await told('{permission: "root"}')).toMatch(/\bplugins\.bot: command "x": permission .* user, trusted, admin/)
  expect(await told('{cooldown: {per: "user", seconds: 0}}')).toMatch(/\bcooldown\.seconds .* 0/)
  expect(await told('{cooldown: {per: "guild", seconds: 1}}')).toMatch(/\bcooldown\.per .* user, channel, everyone/)
})

describeWith("inspircd", "atheme-services")("permissions on IRC", () => {
  test("depend on the account that the server confirms, and not on a nick that anybody can take", async () => {
    const server = await startIrcServer("inspircd")
    await startServices(server, {ada: "correct-password"})
    const endpoints = [
      {id: "main", server: "127.0.0.1", port: server.port, tls: false, nick: "svcbot", channels: ["#lounge"]},
    ]
    const config = (rule: Rule) => configOf([{endpoint: "irc~main", permission: "admin", ...rule}], {irc: {endpoints}})
    const impostor = await joinIrc(server, "ada", {channel: "#lounge"})
    const person = await joinIrc(server, "alice", {channel: "#lounge"})
    const host = await startBotHost([], {config: config({account: "ADA"})})
    await person.sees(/^:svcbot!\S+ JOIN/)
    const answersTo = (who: typeof person) => who.heard("svcbot", "#lounge").length
    const asks = async (who: typeof person) => {
      const answer = await who.asks("svcbot", "#lounge", "!whoami")
      // Otherwise a person who has not received it yet would take it for the answer to the next question.
      await until("both to have heard it", () => answersTo(impostor) === answersTo(person))
      return answer
    }
    expect([await asks(impostor), await asks(person)]).toEqual(["user", "user"])
    person.say("NickServ", "IDENTIFY ada correct-password")
    // Wait for the server's confirmation, because the services reply before the server knows.
    await person.sees(/^\S+ 900 /)
    expect([await asks(person), await asks(impostor)]).toEqual(["admin", "user"])
    expect(await person.asks("svcbot", "svcbot", "whoami")).toBe("admin")
    const before = impostor.heard("svcbot", "#lounge").length
    impostor.write("@account=ada;+account=ada PRIVMSG #lounge :!whoami")
    const answers = await until("an answer", () => {
      const heard = impostor.heard("svcbot", "#lounge").slice(before)
      return heard.length > 0 && heard
    })
    expect(answers).toEqual(["user"])

    host.project.write("svc.config.yml", config({user: "ada"}))
    expect(await (await refusedReload(host)).json()).toMatchObject({
      issues: [{path: "permissions[0].user", message: expect.stringMatching(/\birc~main: .*\baccount\b/)}],
    })
  })
})
