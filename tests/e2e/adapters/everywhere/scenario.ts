import {expect} from "vitest"
import {posting, type TestHost, until} from "../../../support/host/host.ts"
import type {EndpointView} from "../../../support/platforms/endpoint.ts"
import {countOf, linesOf, type Place, sees, type Who} from "./place.ts"

export const choices = ["Pizza", "Salad"] as const
type Choice = (typeof choices)[number]

/** Matches the reminder itself, but not the bot's answers about it. */
export const rung = (what: string): RegExp => new RegExp(`^(?!Reminder \\d|Erinnerung \\d|\\d+, ).+: ${what}$`)

/** Votes by button if the platform has buttons, otherwise by the number in the list. */
export const vote = (place: Place, who: Who, choice: Choice): unknown =>
  place.press === undefined ? place.say(who, String(choices.indexOf(choice) + 1)) : place.press(who, choice)

/** Runs `act`, then waits for one more line of the bot that matches. */
export const answered = async (place: Place, line: RegExp, act: () => unknown): Promise<string> => {
  const before = await countOf(place, line)
  await act()
  return sees(place, line, before + 1)
}

/** Leaves a daily reminder cancelled and a poll open. Resolves to the refusal of `!pardon`. */
export const begin = async (place: Place): Promise<string> => {
  const says = (text: string) => () => place.say("ann", text)
  await answered(place, /^(Reminder 1, on|Erinnerung 1, am) .*: tea$/, says("!remind in 1s tea"))
  await sees(place, rung("tea"))
  await answered(
    place,
    /^(Reminder 2, every day at 9:00 AM|Erinnerung 2, jeden Tag um 09:00) .*: stand up$/,
    says("!remind every 9:00 stand up"),
  )
  await answered(place, /^2, (every day at 9:00 AM|jeden Tag um 09:00) .*: stand up$/, says("!reminders"))
  await answered(place, /^(Reminder 2 is cancelled|Erinnerung 2 ist gelöscht)\.$/, says("!cancel 2"))
  const refusal = await answered(place, /^!pardon (needs|braucht) .*trusted\.$/, says("!pardon irc~one eve"))
  if (place.judged !== undefined) await place.say("eve", "buy spam now")
  if (place.language !== undefined) await answered(place, /English/, says("!language en"))
  await answered(place, /^Lunch\? \(60 minutes to vote\)/, says('!poll "Lunch?" Pizza Salad'))
  if (place.press === undefined) await sees(place, /^2\. Salad$/)
  await answered(place, /^Pizza: 1 vote$/, () => vote(place, "ann", "Pizza"))
  return refusal
}

export const voteLate = (place: Place): Promise<string> =>
  answered(place, /^Salad: 1 vote$/, () => vote(place, "bob", "Salad"))

/** Continues the poll after the restore, and closes it. The result counts each person's last vote. */
export const finish = async (place: Place, cameAgain: boolean): Promise<void> => {
  if (place.press !== undefined && !cameAgain) {
    // The late vote edited the message, so its buttons are newer than the checkpoint. Showing the poll again renews
    // them.
    await answered(place, /^(This button no longer works|Dieser Knopf gilt nicht mehr)/, () =>
      vote(place, "cid", "Pizza"),
    )
    await answered(place, /^Lunch\?/, () => place.say("ann", "!poll show"))
  }
  const pizza = place.isShared ? /^Pizza: 2 votes$/ : /^Pizza: 1 vote$/
  await answered(place, pizza, () => vote(place, "cid", "Pizza"))
  // If the late vote arrived again, it already counts, and a repeated vote does not count twice.
  const known =
    cameAgain && place.isShared ? /(has voted for Salad already|hat schon für Salad gestimmt)\.$/ : /^Salad: 1 vote$/
  await answered(place, known, () => vote(place, "bob", "Salad"))
  await answered(place, /^The poll is over: Lunch\?$/, () => place.say("ann", "!poll close"))
  await sees(place, /^The poll is over/)
  const counts = place.isShared ? ["Pizza: 2 votes", "Salad: 1 vote"] : ["Pizza: 0 votes", "Salad: 1 vote"]
  await answered(place, /^3, on .*: supper$|^You have no reminders\.$/, () => place.say("ann", "!reminders"))
  const lines = await linesOf(place)
  const at = lines.lastIndexOf("The poll is over: Lunch?")
  expect({place: place.name, counts: lines.slice(at + 1, at + 3)}).toEqual({place: place.name, counts})
}

/** Asks for a mute on a platform without mutes, as a Satori application does. Resolves to the refusal, or `done`. */
export const refusedMute = async (
  host: TestHost,
  place: Place,
  endpoints: readonly EndpointView[],
): Promise<string> => {
  if (place.judged === "deleted, muted") return "done"
  const login = endpoints.find(({name}) => name === place.name)?.login
  const answer = await host.fetch(
    "/satori/v1/guild.member.mute",
    posting(
      {guild_id: "anywhere", user_id: "eve", duration: 60_000},
      {"satori-platform": login?.platform ?? "", "satori-user-id": login?.user?.id ?? ""},
    ),
  )
  expect(answer.status).toBe(501)
  const {detail} = (await answer.json()) as {readonly detail: string}
  expect(detail).toContain("does not support guild.member.mute")
  return detail
}

/** Bob, a moderator on Discord only, pardons Eve on any platform. Without moderation there is no case. */
export const pardon = async (
  place: Place,
  places: readonly Place[],
  moderators: () => readonly string[],
): Promise<void> => {
  const discord = places.find(({name}) => name === "discord~one")
  if (discord === undefined) throw new Error("discord is one of the platforms")
  const line = moderators().find(each => each.includes(` on ${place.name} wrote`))
  const eve = line?.split(" ")[0] ?? "eve"
  const command = () => discord.say("bob", `!pardon ${place.name} ${eve}`)
  if (line === undefined) return void (await answered(discord, /^There is no open case for eve\.$/, command))
  const pardons = () =>
    moderators().filter(each => each.startsWith("43 ") && each.includes(` pardoned ${eve} in `)).length
  const before = pardons()
  await command()
  await until(`the pardon of ${eve} at ${place.name}`, () => pardons() > before)
}
