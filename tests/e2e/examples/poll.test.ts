import {readFileSync, rmSync} from "node:fs"
import {expect, test} from "vitest"
import {printed} from "../../support/host/command-line.ts"
import {eventOf, makeProject, type Project, restore, startHost, type TestHost, until} from "../../support/host/host.ts"
import {bunOr, root, type TestRuntime} from "../../support/host/runtimes.ts"
import {joinIrc, type Person, startIrcServer} from "../../support/irc/servers.ts"
import {mountDisk, needMounts} from "../../support/machine/disk.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {answerIn} from "../../support/messages/answers.ts"
import {messagesIn, tell, untilIdle} from "../../support/messages/messages.ts"
import {release, untilHeld} from "./example.ts"

const rounds = 3

const sourceOf = (path: string) => readFileSync(`${root}plugins/polls/${path}`, "utf8")
const source = Object.fromEntries(
  ["plugins/polls.ts", "lib/ballots.ts", "lib/texts.ts"].map(path => [path, sourceOf(path)]),
)

/** The example with the sandbox and one IRC account. Its database is in `data/`. JSON is valid YAML. */
const configFor = (port: number): string =>
  JSON.stringify({
    http: {port: 0},
    database: {filename: "data/bot.sqlite"},
    ingress: {minimumFree: 0},
    plugins: {
      polls: {config: {minutes: 600}},
      sandbox: {},
      irc: {endpoints: [{id: "one", server: "127.0.0.1", port, tls: false, nick: "svcbot", channels: ["#team"]}]},
    },
  })

/** Two polls: one in German with buttons in the sandbox, one with numbers on IRC. */
const mittag = {ask: '/poll "Mittag?" Pizza Salat', choices: ["Pizza", "Salat"]} as const
const lunch = {ask: '!poll "Lunch?" Pizza Salad Soup', choices: ["Pizza", "Salad", "Soup"]} as const

const german = (count: number) => `${count} ${count === 1 ? "Stimme" : "Stimmen"}`
const english = (count: number) => `${count} ${count === 1 ? "vote" : "votes"}`

/** The lines with the counts, from each voter's choice. */
const rowsOf = (choices: readonly string[], votes: readonly number[], say: (count: number) => string) =>
  choices.map((choice, index) => `${choice}: ${say(votes.filter(vote => vote === index).length)}`)

const join = async (people: readonly Person[], runtime: TestRuntime, project: Project): Promise<TestHost> => {
  const host = await startHost({own: true, runtime, project})
  await Promise.all(people.map(person => person.sees(/^:svcbot!\S+ JOIN/)))
  return host
}

const meet = async (runtime: TestRuntime) => {
  const server = await startIrcServer("ngircd")
  const people = await Promise.all(["alice", "bob"].map(nick => joinIrc(server, nick, {channel: "#team"})))
  const host = await join(people, runtime, makeProject({config: configFor(server.port), files: source}))
  expect(await say(host, mittag.ask)).toEqual(["Mittag? (600 Minuten Zeit)\n1. Pizza\n2. Salat"])
  const [alice] = people
  alice?.say("#team", lunch.ask)
  await alice?.sees(/PRIVMSG #team :Lunch\? \(600 minutes to vote\)/)
  await alice?.sees(/PRIVMSG #team :3\. Soup/)
  await untilIdle(host)
  return {people, host}
}

/** Says something in the sandbox, as a user whose locale is German. Resolves to the replies. */
const say = async (host: TestHost, text: string, user = "jan"): Promise<readonly string[]> => {
  const said = {text, user, locale: "de", channel: "team", group: true}
  const sn = await tell(host, said)
  const {replies} = await eventOf(host, sn)
  await untilIdle(host)
  return Promise.all(replies.map(async id => (await host.get("/api/outbox/:id", {id})).text))
}

const press = (host: TestHost, user: string, press: {readonly id: string; readonly button: string; message?: string}) =>
  host.plugin<{sn: number}>("/api/plugins/sandbox/press", {...press, user, channel: "team", group: true})

/** Each person writes a number in turn. Resolves to the first line of each answer. */
const vote = async (people: readonly Person[], votes: readonly number[]): Promise<readonly string[]> => {
  const answers: string[] = []
  for (const [index, person] of people.entries()) {
    const before = person.heard("svcbot", "#team").length
    person.say("#team", String((votes[index] ?? 0) + 1))
    const answer = await until(`an answer to ${person.nick}`, () => {
      const heard = person.heard("svcbot", "#team").slice(before)
      return heard.find(line => line.startsWith(`${person.nick} `))
    })
    answers.push(answer)
  }
  return answers
}

const closeOnIrc = async (person: Person, rows: readonly string[]): Promise<void> => {
  const before = person.heard("svcbot", "#team").length
  person.say("#team", "!poll close")
  const lines = await until("the result", () => {
    const heard = person.heard("svcbot", "#team").slice(before)
    return heard.length > rows.length && heard
  })
  expect(lines).toEqual(["The poll is over: Lunch?", ...rows])
}

/** The newest message with buttons in the sandbox. */
const pollIn = async (host: TestHost) => {
  const found = (await messagesIn(host, "team")).findLast(({buttons}) => buttons.length > 0)
  if (found === undefined) throw new Error("no message of the sandbox has buttons")
  return found
}

const users = ["ann", "ben", "cid", "dan", "eve", "fay"]

describeWith("ngircd")("the example poll", () => {
  test.each(bunOr("node24"))(
    `counts one vote for each user, though the Host is killed ${rounds} times amid votes, on $name`,
    async runtime => {
      const {people, host: first} = await meet(runtime)
      let host = first
      let pressed: readonly number[] = []
      let numbered: readonly number[] = []
      for (let round = 0; round < rounds; round++) {
        pressed = users.map((_, index) => Number((round + index) % 3 === 0))
        numbered = people.map((_, index) => (round + index) % 3)
        const killed = host
        const votes = users.map((user, index) => ({
          user,
          press: {id: `${user} ${round}`, button: mittag.choices[pressed[index] ?? 0] ?? ""},
        }))
        // Kills the Host once `round + 1` votes are acknowledged, while others are under way.
        let acknowledged = 0
        for (const [index, person] of people.entries()) person.say("#team", String((numbered[index] ?? 0) + 1))
        const voting = votes.map(async ({user, press: one}) => {
          await press(killed, user, one).catch(() => {})
          if (++acknowledged === round + 1) killed.process.child.kill("SIGKILL")
        })
        await Promise.all(voting)
        expect((await killed.process.finished).signal).toBe("SIGKILL")
        host = await join(people, runtime, host.project)
        // The sandbox has lost its messages. A platform that got no answer delivers the press again, and people repeat
        // their number.
        await say(host, "/poll show")
        for (const {user, press: one} of votes) await press(host, user, one)
        await vote(people, numbered)
        await untilIdle(host)
        const [shown = ""] = await say(host, "/poll show")
        expect(shown.split("\n").slice(1, 3)).toEqual(rowsOf(mittag.choices, pressed, german))
      }
      const rows = rowsOf(mittag.choices, pressed, german).join("\n")
      expect((await say(host, "/poll close")).at(-1)).toBe(`Die Umfrage ist beendet: Mittag?\n${rows}`)
      const [alice] = people
      if (alice !== undefined) await closeOnIrc(alice, rowsOf(lunch.choices, numbered, english))
      for (const state of ["failed", "dead"]) expect((await host.get("/api/inbox", {state})).items).toEqual([])
      expect((await host.get("/api/timers")).items).toEqual([])
      expect((await host.stop()).code).toBe(0)
    },
  )

  test.for(bunOr("node24"))(
    "continues from an archive on other file systems with its counts and buttons, on $name",
    async (runtime, context) => {
      needMounts(context)
      const {people, host: before} = await meet(runtime)
      const [alice, bob] = people
      if (alice === undefined || bob === undefined) throw new Error("two people are there")
      await press(before, "ann", {id: "ann 1", button: "Salat"})
      await before.stop("SIGKILL")
      const killed = await join(people, runtime, before.project)
      await say(killed, "/poll show")
      await press(killed, "ben", {id: "ben 1", button: "Pizza"})
      expect(await bob.asks("svcbot", "#team", "!language de")).toBe(
        answerIn("de")("language.set", {language: "Deutsch (de)"}),
      )
      expect(await vote([alice], [2])).toEqual(["alice votes for Soup."])
      await untilIdle(killed)
      const message = await pollIn(killed)
      const archive = killed.project.path("poll.tar.gz")
      await printed(killed.project, ["checkpoint", "create", "--output", archive], runtime)
      // These votes come after the archive was made.
      await press(killed, "cid", {id: "cid 1", button: "Pizza"})
      await vote([bob], [2])
      await untilIdle(killed)
      await killed.stop("SIGKILL")

      const project = makeProject({files: source})
      for (const file of ["svc.config.yml", "package.json"]) rmSync(project.path(file))
      for (const folder of ["data", ".svc"]) mountDisk(project.path(folder), "64m")
      expect(await restore(project, archive, runtime)).toMatchObject({projectFiles: "restored", isNew: true})
      const host = await join(people, runtime, project)
      await untilHeld(host, {inbox: 0, outbox: 0, timers: 2})
      // Presses of the old message's buttons, as a platform that still shows it sends them, and numbers for the old
      // list.
      const [pizza = "", salat = ""] = message.buttons.map(({id}) => id)
      await press(host, "dan", {id: "dan 1", button: salat, message: message.id})
      await press(host, "ann", {id: "ann 2", button: pizza, message: message.id})
      const answers = ["bob stimmt für Pizza.", "alice has voted for Soup already."]
      expect(await vote([bob, alice], [0, 2])).toEqual(answers)
      await untilIdle(host)
      expect((await say(host, "/poll show"))[0]?.split("\n").slice(1, 3)).toEqual([
        "Pizza: 2 Stimmen",
        "Salat: 1 Stimme",
      ])
      await release(host, runtime, "timer")
      await untilHeld(host, {inbox: 0, outbox: 0, timers: 0})
      const rows = "Pizza: 2 Stimmen\nSalat: 1 Stimme"
      expect((await say(host, "/poll close")).at(-1)).toBe(`Die Umfrage ist beendet: Mittag?\n${rows}`)
      await closeOnIrc(alice, ["Pizza: 1 vote", "Salad: 0 votes", "Soup: 1 vote"])
      expect((await host.get("/api/timers")).items).toEqual([])
      expect((await host.stop()).code).toBe(0)
    },
  )
})
