import {describe, expect, test} from "vitest"
import {bunOr, makeProject, onBun, pluginWith, startHost, svc} from "../../support/host/host.ts"
import {answer, answerIn} from "../../support/messages/answers.ts"

/** A plugin that writes texts, fails, asks, and returns the language for a user outside of a session. */
const bot = pluginWith(`
    const t = plugin.texts({
      en: {hello: "Hello, {name}!", items: "{count, plural, one {# item} other {# items}}", bye: "Bye."},
      de: {hello: "Hallo, {name}!", items: "{count, plural, one {# Ding} other {# Dinge}}"},
    })
    plugin.command("hello <count:integer>", {description: t.of("bye")}, ({args, session}) =>
      [session.t(t, "hello", {name: "<b>" + session.user.name + "</b>"}), " ", session.t("items", {count: args.count})])
    plugin.command("bye", ({session}) => session.t(t, "bye"))
    plugin.command("fail", () => { throw new Error("as asked") })
    plugin.command("sudo", {permission: "admin"}, () => "done")
    const name = plugin.prompt("name", {}, ({answer}) => "name: " + answer)
    plugin.command("ask", async ({session}) => { await session.prompt(name, "?") })
    plugin.command("place <user>", async ({args}) => plugin.languageOf({endpoint: "sandbox", channel: "town", user: args.user}))`)

const languages = {
  rules: [{endpoint: "sandbox", channel: "town", language: "de"}],
  texts: {de: {"call.permission": "Nur für {permission}."}},
}
const config = JSON.stringify({http: {port: 0}, languages, plugins: {bot: {}, sandbox: {}}})

describe.each(bunOr("node22"))("on $name", runtime => {
  test("each user gets a language by choice, channel, platform or default, and keeps a choice", async () => {
    const options = {runtime, args: ["--no-watch"], config, plugins: {bot}}
    const host = await startHost(options)
    const ann = {user: "ann", channel: "@ann"}
    const bob = {user: "bob", channel: "@bob", locale: "de_AT"}
    const says = async (text: string, who: object) => (await host.say(text, who)).join()

    // The platform's language applies, otherwise the default. Values are inserted as text, whatever they contain.
    expect(await says("/hello 1", ann)).toBe("Hello, <b>ann</b>! 1 item")
    expect(await says("/hello 2", bob)).toBe("Hallo, <b>bob</b>! 2 Dinge")
    expect(await says("/bye", bob)).toBe("Bye.")
    // svc's own texts, with one from the project's configuration.
    expect(await says("/hello x", bob)).toBe("count muss eine ganze Zahl sein, nicht „x“. Verwendung: /hello <count>")
    expect(await says("/sudo", bob)).toBe("Nur für admin.")
    expect(await says("/sudo", ann)).toBe("/sudo needs the permission admin.")
    expect(await says("/fail", bob)).toMatch(/^Etwas ist schiefgegangen \(Ereignis \d+\)\.$/)
    expect(await says("/help", bob)).toContain(`/language [tag]: ${answerIn("de")("language.description")}`)
    // The word that cancels a question works in any language.
    expect(await says("/ask", bob)).toBe("?")
    expect(await says("cancelar", bob)).toBe("Abgebrochen.")
    // A channel's rule.
    const inTown = {user: "ann", channel: "town", group: true}
    expect(await says("/hello 1", inTown)).toBe("Hallo, <b>ann</b>! 1 Ding")
    expect(await says("/place ann", inTown)).toBe("de")

    // A user's choice takes precedence over all of these.
    expect(await says("/language", bob)).toBe(
      "Deine Sprache ist Deutsch (de). /language nimmt: English (en), Deutsch (de), auto.",
    )
    expect(await says("/language fr", bob)).toContain("„fr“")
    expect(await says("/language englisch", bob)).toBe(answer("language.set", {language: "English (en)"}))
    expect(await says("/language EN", inTown)).toBe(answer("language.set", {language: "English (en)"}))
    expect(await says("/hello 1", inTown)).toBe("Hello, <b>ann</b>! 1 item")
    expect(await says("/place ann", inTown)).toBe("en")
    await host.stop()

    const again = await startHost({...options, project: host.project})
    const saysAgain = async (text: string, who: object) => (await again.say(text, who)).join()
    expect(await saysAgain("/hello 1", bob)).toBe("Hello, <b>bob</b>! 1 item")
    // The choice is user data, so it is exported, and a running Host forgets it with the user.
    const shown = await svc(runtime, again.project, ["user", "export", "sandbox", "bob"])
    expect(shown.stdout).toContain('"plugin":"(host)","scope":"user","subject":"bob","name":"language"')
    expect((await svc(runtime, again.project, ["user", "forget", "sandbox", "bob", "--yes"])).code).toBe(0)
    expect(await saysAgain("/hello 1", bob)).toBe("Hallo, <b>bob</b>! 1 Ding")
    expect(await saysAgain("/language auto", inTown)).toBe(answerIn("de")("language.auto", {language: "Deutsch (de)"}))
  })
})

test("invalid texts are rejected with their position, in the configuration and in a plugin", async () => {
  const project = makeProject({
    config: `http: {port: 0}
languages:
  default: english
  rules:
    - {endpoint: sandbox, language: de}
    - {endpoint: sandbox, channel: a, language: de_AT}
plugins: {sandbox: {}}
`,
  })
  const check = () => svc(onBun, project, ["config", "check"])
  const tags = await check()
  expect(tags.code).toBe(1)
  expect(tags.stderr).toContain('svc.config.yml:3:12 languages.default: "english" ')
  expect(tags.stderr).toContain("svc.config.yml:6:7 languages.rules[1]: is never reached: languages.rules[0]")
  expect(tags.stderr).toContain('languages.rules[1].language: "de_AT" ')

  project.write(
    "svc.config.yml",
    `http: {port: 0}
languages:
  rules: [{endpoint: sandbx, language: de}]
  texts:
    nl:
      help.command: "Opdrachten:"
      help.more: "{count, plural, one {#}}"
      failure: "Mis: {evnt}"
plugins: {sandbox: {}, bot: {}}
`,
  )
  project.write("plugins/bot.ts", bot.replace("Hallo, {name}!", "Hallo, {name!"))
  expect((await check()).stderr).toMatch(
    /plugins\/bot\.ts:10:\d+ plugins\.bot: texts\(\): de\.hello .*: .*, at 1:\d+ of the message/,
  )

  project.write("plugins/bot.ts", bot)
  const texts = await check()
  expect(texts.stderr).toContain("svc.config.yml:3:22 languages.rules[0].endpoint: ")
  expect(texts.stderr).toContain("svc.config.yml:6:7 languages.texts.nl.help.command: ")
  expect(texts.stderr).toMatch(/svc\.config\.yml:7:18 languages\.texts\.nl\.help\.more: .*: missing other clause/)
  expect(texts.stderr).toContain("languages.texts.nl.failure: {evnt} ")
})
