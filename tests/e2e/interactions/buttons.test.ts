import {setTimeout as sleep} from "node:timers/promises"
import {describe, expect, test} from "vitest"
import {bunOr, eventOf, pluginWith, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {faultRun} from "../../support/machine/fault-run.ts"
import {answer} from "../../support/messages/answers.ts"
import {messageIn, untilIdle} from "../../support/messages/messages.ts"
import {connectSatori} from "../../support/satori/satori.ts"
import {line, saying, sentTo, tell} from "./line-plugin.ts"

const {rounds: kills} = faultRun("button-kills")

const config = "http: {port: 0}\nplugins:\n  sandbox: {}\n  line: {}\n  poll: {}\n"

/** Asks everyone who says "ask", from a handler. A route and a job ask too. */
const poll = pluginWith(`
    plugin.database.migrate([{
      name: "votes",
      up: table => ["CREATE TABLE " + table("votes") + " (choice TEXT NOT NULL, user TEXT NOT NULL)"],
      irreversible: "the votes are gone",
    }])
    const votes = plugin.database.table("votes")
    const vote = plugin.action("vote", {data: Type.Object({choice: Type.String()}), once: true}, async ({data, session}) => {
      await session.database.write([{sql: "INSERT INTO " + votes + " (choice, user) VALUES (?, ?)", args: [data.choice, session.user.id]}])
      return session.user.id + " says " + data.choice
    })
    const any = plugin.action("any", async ({data, session}) => {
      await session.database.write([{sql: "INSERT INTO " + votes + " (choice, user) VALUES (?, ?)", args: [data, session.user.id]}])
    })
    const asked = plugin.action("asked", {who: "asked"}, ({session}) => "only " + session.user.id)
    const question = () => ["Well? " + "Lots of words. ".repeat(3), vote.button({choice: "yes"}, "Yes"), vote.button({choice: "no"}, "No")]
    plugin.on("message-created", async session => {
      if (session.text === "ask") return question()
      if (session.text === "mine") return ["Only you", asked.button(null, "I")]
      if (session.text === "choose") return ["Which?", vote.select([{label: "Soup", data: {choice: "soup"}}, {label: "Salad", data: {choice: "salad"}}], {placeholder: "Dish"})]
      if (session.text === "name") return void (await session.prompt(name, "Your name?"))
      if (session.text === "bad") return vote.button({choice: 7}, "Bad")
      if (/^[0-9]+$/.test(session.text)) note(session.user.id + " says " + session.text)
    })
    plugin.on("interaction/button", session => note("heard " + (session.event.button.id.split(":")[1])))
    const name = plugin.prompt("name", ({answer}) => "Hello " + answer)
    plugin.job("ask", async run => void (await run.send({endpoint: "line", channel: "jobs"}, question())))
    plugin.route({
      method: "POST", path: "/ask", scope: "full", summary: "Ask",
      body: Type.Object({endpoint: Type.String(), user: Type.String(), kind: Type.String()}),
      handle: async (_, call) => {
        const {kind, ...target} = call.body as any
        const content = kind === "vote" ? question() : ["Press", kind === "asked" ? asked.button(null, "I") : /[13579]$/.test(kind) ? any.select([{label: "Any", data: kind}]) : any.button(kind, "Any")]
        return Response.json({id: await plugin.send(target, content)})
      },
    })
    plugin.route({
      method: "GET", path: "/votes", scope: "full", summary: "Votes",
      handle: async () => Response.json({items: (await plugin.database.read("SELECT choice FROM " + votes)).map(({choice}) => choice)}),
    })`)

const votesOf = async (host: TestHost) => (await host.plugin<{items: string[]}>("/api/plugins/poll/votes")).items.sort()

describe.each(bunOr("node22"))("buttons on $name", runtime => {
  test("work in the sandbox, svc chat and applications, and are refused once they are used up", async () => {
    const host = await startHost({runtime, config, plugins: {line, poll}})
    const application = await connectSatori(host)
    await application.hears(4)
    const [text] = await host.say("ask", {channel: "chat"})
    expect(text).toMatch(/Lots of words\. \n1\. Yes\n2\. No$/)
    const {items} = await host.plugin<{items: {text: string; buttons: object[]}[]}>("/api/plugins/sandbox/messages")
    expect(items.at(-1)?.text).toMatch(/Lots of words\. \n\[1\] Yes {2}\[2\] No$/)
    expect(items.at(-1)?.buttons).toMatchObject([{label: "Yes"}, {label: "No"}])
    const chat = await svc(runtime, host.project, ["chat", "--as", "ann"], {input: "/press 2\n"})
    expect({code: chat.code, stdout: chat.stdout}).toEqual({code: 0, stdout: "ann says no\n"})
    const lost = await svc(runtime, host.project, ["chat"], {input: "/press Maybe\n"})
    expect([lost.code, lost.stderr]).toEqual([1, expect.stringContaining("no message in chat has the button Maybe")])
    const {sn} = await host.plugin<{sn: number}>("/api/plugins/sandbox/press", {button: "Yes", user: "bob"})
    const late = await eventOf(host, sn)
    expect(late.replies).toHaveLength(1)
    expect((await messageIn(host, late.replies[0] ?? "", "sent")).text).toBe(answer("press.taken"))
    expect(late.marks.map(({handler}) => handler).sort()).toEqual([
      "host/button/taken",
      "root/poll/handler/interaction/button.0",
    ])
    await until(
      "the application to receive the presses",
      () => application.signals.filter(({body}) => JSON.stringify(body)?.includes('"interaction/button"')).length === 2,
    )
    application.close()
    const said = await host.plugin<{sn: number}>("/api/plugins/sandbox/messages", {text: "bad"})
    const bad = await eventOf(host, said.sn)
    expect(bad.marks[0]?.error).toMatch(/\broot\/poll\/action\/vote .*: data\.choice/)
    expect(host.project.read("notes.log")).toBe("heard 2\nheard 1\n")
    expect((await svc(runtime, host.project, ["endpoint", "show", "sandbox"])).stdout).toContain("buttons")
  })

  test("of a menu are options in the sandbox, buttons if there are no menus, otherwise a list", async () => {
    const host = await startHost({runtime, config, plugins: {line, poll}})
    await host.say("choose", {channel: "chat"})
    const {items} = await host.plugin<{items: {text: string}[]}>("/api/plugins/sandbox/messages")
    expect(items.at(-1)?.text).toBe("Which?\nDish: [1] Soup  [2] Salad")
    const talking = ["chat", "--as", "ann", "--channel", "menu"]
    // svc chat waits for the answer to the previous line before it presses.
    for (const label of ["Salad", '"Salad"']) {
      const chat = await svc(runtime, host.project, talking, {input: `choose\n/press ${label}\n`})
      expect({code: chat.code, stderr: chat.stderr}).toEqual({code: 0, stderr: ""})
      expect(chat.stdout).toBe("Which?\nDish: [1] Soup  [2] Salad\nann says salad\n")
    }
    await tell(host, "shows", "bob", saying("choose"))
    const shown = (await sentTo(host, "shows")).at(-1)?.content ?? []
    expect(shown).toMatchObject(["Which?", {type: "button", children: ["Soup"]}, {type: "button", children: ["Salad"]}])
    const [, soup] = shown
    const id = typeof soup === "object" ? soup.attrs.id : undefined
    const press = {type: "interaction/button", button: {id}}
    expect(await tell(host, "shows", "bob", press)).toEqual(["bob says soup"])
    expect(await tell(host, "shows", "eve", press)).toEqual([answer("press.taken")])
    await tell(host, "line", "eve", saying("choose"))
    expect((await sentTo(host, "line")).at(-1)?.content.join("")).toBe("Which?\n1. Soup\n2. Salad")
    expect(await tell(host, "line", "eve", saying("1"))).toEqual(["eve says soup"])
  })

  test("are a numbered list on a platform without buttons, in a group and across a restart", async () => {
    let host = await startHost({runtime, config, plugins: {line, poll}})
    await tell(host, "line", "ann", saying("ask"))
    const parts = (await sentTo(host, "line")).map(({content}) => content.join(""))
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.filter(part => part.includes("1. Yes"))).toEqual([parts.at(-1)])
    expect(parts.at(-1)).toMatch(/\n1\. Yes\n2\. No$/)
    await host.say("ask", {channel: "chat"})
    const {items} = await host.plugin<{items: {id: string; buttons: {id: string}[]}[]}>("/api/plugins/sandbox/messages")
    const {id: message, buttons = []} = items.at(-1) ?? {}
    await host.stop()
    host = await startHost({runtime, project: host.project})
    await tell(host, "line", "ann", saying("name"))
    expect(await tell(host, "line", "ann", saying("2"))).toEqual(["Hello 2"])
    expect(await tell(host, "line", "bob", saying(" 2 "))).toEqual(["bob says no"])
    expect(await tell(host, "line", "bob", saying("2"))).toEqual([])
    await host.plugin("/api/plugins/poll/ask", {endpoint: "line", user: "eve", kind: "asked"})
    const isAsked = async () => (await sentTo(host, "line")).some(({channel}) => channel === "with-eve")
    await until("the direct message", isAsked)
    const inDirect = {channel: {id: "with-eve", type: 1}}
    await until("the direct list to be sent", async () => {
      return (await tell(host, "line", "eve", {...saying("1"), ...inDirect}))[0] === "only eve"
    })
    expect(await tell(host, "line", "mallory", {...saying("1"), ...inDirect})).toEqual([])
    expect(host.project.read("notes.log")).toMatch(/^ann says 2\nbob says 2\n(eve says 1\n)*mallory says 1\n$/)
    // The sandbox has lost the message, but the Host still knows its button.
    const old = {message, button: buttons[0]?.id, user: "zoe"}
    const {sn} = await host.plugin<{sn: number}>("/api/plugins/sandbox/press", old)
    const [reply = ""] = (await eventOf(host, sn)).replies
    expect((await messageIn(host, reply, "sent")).text).toBe("zoe says yes")
    const byLabel = host.plugin("/api/plugins/sandbox/press", {button: "Yes"})
    await expect(byLabel).rejects.toThrow("no message in chat has the button Yes")
    expect(await votesOf(host)).toEqual(["no", "yes"])
  })

  test(`are pressed exactly once, though the Host is killed ${kills} times`, async () => {
    const each = 6
    let host = await startHost({own: true, runtime, config, plugins: {line, poll}})
    const pressed: string[] = []
    for (let kill = 0; kill < kills; kill++) {
      const ids = await Promise.all(
        Array.from({length: each}, async (_, n) => {
          const ask = {endpoint: "shows", user: `u${n}`, kind: `choice ${kill} ${n}`}
          return (await host.plugin<{id: string}>("/api/plugins/poll/ask", ask)).id
        }),
      )
      const press = (of: TestHost, n: number) =>
        of.plugin("/api/plugins/line/shows", {
          id: `press ${kill} ${n}`,
          type: "interaction/button",
          channel: {id: `with-u${n}`, type: 1},
          user: {id: `u${n}`},
          button: {id: `${ids[n]}:1`},
        })
      const before = host
      const pressing = Promise.all(ids.map((_, n) => press(before, n).catch(() => {})))
      await sleep(kill * 7)
      await host.stop("SIGKILL")
      await pressing
      host = await startHost({own: true, runtime, project: host.project})
      // A platform that got no answer delivers the press again.
      for (const [n] of ids.entries()) {
        await press(host, n)
        pressed.push(`choice ${kill} ${n}`)
      }
    }
    await untilIdle(host)
    const {items: dead} = await host.get("/api/inbox", {limit: 500, state: "dead"})
    const votes = await votesOf(host)
    expect(new Set(votes).size).toBe(votes.length)
    expect(votes.length + dead.length).toBe(pressed.length)
  })
})
