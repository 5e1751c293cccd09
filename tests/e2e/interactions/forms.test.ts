import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import {bunOr, eventOf, pluginWith, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {faultRun} from "../../support/machine/fault-run.ts"
import {answer} from "../../support/messages/answers.ts"
import {messageIn, untilIdle} from "../../support/messages/messages.ts"
import {line, saying, sentTo, tell} from "./line-plugin.ts"

const {rounds: kills} = faultRun("form-kills")

const config = "http: {port: 0}\nlanguages: {offer: [en, de]}\nplugins:\n  sandbox: {}\n  line: {}\n  club: {}\n"

/** Signs up everyone who says "join" or presses the button that "offer" sends. */
const club = pluginWith(`
    plugin.database.migrate([{
      name: "members",
      up: table => ["CREATE TABLE " + table("members") + " (user TEXT NOT NULL, form TEXT NOT NULL)"],
      irreversible: "the members are gone",
    }])
    const members = plugin.database.table("members")
    const form = plugin.form(
      "signup",
      {
        fields: Type.Object({
          name: Type.String({title: "Your name?"}),
          age: Type.Integer({title: "Your age?", minimum: 18}),
          news: Type.Optional(Type.Boolean({title: "News?"})),
        }),
        labels: {news: plugin.texts({en: {news: "News?"}, de: {news: "Neues?"}}).of("news")},
        data: Type.Object({course: Type.String()}),
        who: "asked",
      },
      async ({values, data, session}) => {
        const form = JSON.stringify({...values, ...data})
        await session.database.write([{sql: "INSERT INTO " + members + " (user, form) VALUES (?, ?)", args: [session.user.id, form]}])
        return "Welcome, " + values.name + "."
      },
    )
    plugin.on("message-created", async session => {
      if (session.text === "join") await session.form(form, "Join us.", {course: "art"})
      else if (session.text === "offer") return ["Join us.", form.button({course: "law"}, "Sign up")]
      else if (session.text === "lost") await session.form({kind: "form", name: "lost"}, "")
      else if (session.text === "bad") await session.form(form, "", {course: 1})
    })
    plugin.route({
      method: "GET", path: "/members", scope: "full", summary: "Members",
      handle: async () => Response.json({items: (await plugin.database.read("SELECT user, form FROM " + members + " ORDER BY user")).map(row => row.user + " " + row.form)}),
    })`)

const membersOf = async (host: TestHost) => (await host.plugin<{items: string[]}>("/api/plugins/club/members")).items

const art = '{"name":"Ann","age":20,"news":true,"course":"art"}'

describe.each(bunOr("node22"))("a form on $name", runtime => {
  test("asks field by field in the user's language, across a restart", async () => {
    let host = await startHost({runtime, config, plugins: {line, club}})
    const say = (text: string, more: object = {}) => tell(host, "line", "ann", {...saying(text), ...more})
    expect(await say("join")).toEqual(['Join us.\nYour name?\nAnswer "cancel" to stop.'])
    expect(await say("Ann")).toEqual(["Your age?"])
    expect(await say("many")).toEqual([`${answer("form.type", {type: "a whole number", word: "many"})}\nYour age?`])
    expect(await say("17")).toEqual([`${answer("form.least", {limit: "18"})}\nYour age?`])
    // A user who was not asked cannot answer.
    expect(await tell(host, "line", "bob", saying("20"))).toEqual([])
    await host.stop()
    host = await startHost({runtime, project: host.project})
    const german = {user: {id: "ann", locale: "de"}}
    expect(await say("20", german)).toEqual(["Neues? (ja oder nein)\nAntworte „überspringen“, um es auszulassen."])
    expect(await say("ja", german)).toEqual(["Welcome, Ann."])
    expect(await membersOf(host)).toEqual([`ann ${art}`])
    expect(await say("join")).toEqual(['Join us.\nYour name?\nAnswer "cancel" to stop.'])
    expect(await say("cancel")).toEqual(["Cancelled."])
    expect(await say("Ann")).toEqual([])
    const failed = async (text: string) =>
      (await eventOf(host, (await host.plugin<{sn: number}>("/api/plugins/sandbox/messages", {text})).sn)).marks
        .map(({error}) => error)
        .join()
    expect(await failed("lost")).toContain('"lost"')
    expect(await failed("bad")).toMatch(/\broot\/club\/prompt\/signup .*: course/)
  })

  test("starts with its button or with its number in a list", async () => {
    const host = await startHost({runtime, config, plugins: {line, club}})
    await tell(host, "shows", "ann", saying("offer"))
    const button = (await sentTo(host, "shows")).at(-1)?.content[1]
    expect(button).toMatchObject({type: "button", children: ["Sign up"]})
    const id = typeof button === "object" ? button.attrs.id : undefined
    const press = {type: "interaction/button", button: {id}}
    expect(await tell(host, "shows", "bob", press)).toEqual([answer("press.others")])
    expect(await tell(host, "shows", "ann", press)).toEqual(['Your name?\nAnswer "cancel" to stop.'])
    await tell(host, "shows", "ann", saying("Ann"))
    await tell(host, "shows", "ann", saying("20"))
    expect(await tell(host, "shows", "ann", saying("skip"))).toEqual(["Welcome, Ann."])
    await tell(host, "line", "eve", saying("offer"))
    expect(await tell(host, "line", "eve", saying("1"))).toEqual(['Your name?\nAnswer "cancel" to stop.'])
    await tell(host, "line", "eve", saying("Eve"))
    // The number answers the question, not the list.
    expect(await tell(host, "line", "eve", saying("1"))).toEqual([`${answer("form.least", {limit: "18"})}\nYour age?`])
    await tell(host, "line", "eve", saying("21"))
    await tell(host, "line", "eve", saying("no"))
    expect(await membersOf(host)).toEqual([
      'ann {"name":"Ann","age":20,"course":"law"}',
      'eve {"name":"Eve","age":21,"news":false,"course":"law"}',
    ])
  })

  test("is filled in at once on platforms with forms: the sandbox and svc chat", async () => {
    const host = await startHost({runtime, config, plugins: {line, club}})
    const shown = async () => {
      const {items} = await host.plugin<{items: {text: string}[]}>("/api/plugins/sandbox/messages")
      return items.at(-1)?.text
    }
    const chat = async (input: string) => {
      const {code, stdout, stderr} = await svc(runtime, host.project, ["chat"], {input: `${input}\n`})
      return code === 0 ? stdout.trimEnd() : stderr
    }
    const press = (button: string, values?: object) =>
      host
        .plugin<{sn: number}>("/api/plugins/sandbox/press", {button, user: "you", ...(values ? {values} : {})})
        .then(({sn}) => sn)
    const texts = async (sn: number) =>
      Promise.all((await eventOf(host, sn)).replies.map(async id => (await messageIn(host, id, "sent")).text))
    await host.say("join", {channel: "chat", user: "you"})
    expect(await shown()).toBe(`Join us.\n[1] ${answer("form.open")} (name, age, news)`)
    await expect(press("1")).rejects.toThrow(/\bname, age, news: /)
    await expect(press("1", {nome: "Ann"})).rejects.toThrow(/\bname, age, news\b/)
    expect(await chat('/fill 1 name="Ann Lee" age=17')).toBe(
      `Your age? ${answer("form.least", {limit: "18"})}\n[1] ${answer("form.open")} (name, age, news)`,
    )
    expect(await chat('/fill 1 name="Ann Lee" age=20 news=no')).toBe("Welcome, Ann Lee.")
    const sn = await press("1", {name: "Ann", age: "20"})
    expect(await texts(sn)).toEqual([answer("press.taken")])
    expect(await membersOf(host)).toEqual(['you {"name":"Ann Lee","age":20,"news":false,"course":"art"}'])
    await host.say("offer", {channel: "chat", user: "you"})
    expect(await shown()).toBe("Join us.\n[1] Sign up")
    await expect(press("1", {name: "Ann"})).rejects.toThrow(/\bSign up is a button\b/)
    await eventOf(host, await press("Sign up"))
    await until("the form to be shown", async () => (await shown()) === `[1] ${answer("form.open")} (name, age, news)`)
    // The values belong to the user, so redacting the event removes them.
    const eventAt = async () => (await host.get("/api/inbox/:seq", {seq: sn})).event
    expect(await eventAt()).toMatchObject({form: {values: {name: "Ann", age: "20"}}})
    await host.post("/api/inbox/:seq/redact", {seq: sn})
    expect((await eventAt()).form).toBeUndefined()
  })

  test(`is completed exactly once by each user, though the Host is killed ${kills} times`, async () => {
    const steps = ["join", "Ann", "20", "yes"]
    const users = ["a", "b", "c"]
    let host = await startHost({own: true, runtime, config, plugins: {line, club}})
    const answer = (of: TestHost, kill: number, step: number) =>
      Promise.all(
        users.map(user =>
          of.plugin("/api/plugins/line/line", {
            id: `${kill} ${step} ${user}`,
            type: "message-created",
            channel: {id: `with-${user}`, type: 1},
            user: {id: `${user}${kill}`},
            message: {id: `${kill} ${step} ${user}`, content: steps[step]},
          }),
        ),
      )
    const fill = (of: TestHost, kill: number, id: unknown) =>
      of.plugin("/api/plugins/line/forms", {
        id: `fill ${kill}`,
        type: "interaction/button",
        channel: {id: "c", type: 0},
        user: {id: `d${kill}`},
        button: {id},
        form: {values: {name: "Ann", age: "20", news: "yes"}},
      })
    for (let kill = 0; kill < kills; kill++) {
      await tell(host, "forms", `d${kill}`, saying("join"))
      const form = (await sentTo(host, "forms")).at(-1)?.content.at(-1)
      const id = typeof form === "object" ? form.attrs.id : undefined
      for (const step of steps.keys()) {
        const before = host
        if (step === kill % steps.length) {
          const answering = Promise.all([answer(before, kill, step), fill(before, kill, id)]).catch(() => {})
          await sleep((kill * 7) % 50)
          await host.stop("SIGKILL")
          await answering
          host = await startHost({own: true, runtime, project: host.project})
          await fill(host, kill, id)
        }
        // A platform that got no answer delivers the message again.
        await answer(host, kill, step)
        await untilIdle(host)
      }
    }
    const expected = [...users, "d"]
      .flatMap(user => Array.from({length: kills}, (_, kill) => `${user}${kill} ${art}`))
      .sort()
    expect((await membersOf(host)).sort()).toEqual(expected)
  })
})
