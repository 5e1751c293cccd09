import {type Static, Type} from "svc-runtime"

export const minute = 60_000

export const most = {answer: 1000, people: 50} as const

const Weekday = Type.Enum(["sun", "mon", "tue", "wed", "thu", "fri", "sat"])

const Person = Type.Object({
  user: Type.String({minLength: 1, description: "The platform's id of the user, not the name"}),
  endpoint: Type.Optional(Type.Endpoint({description: "Their endpoint; that of the report if left out"})),
  name: Type.Optional(Type.String({minLength: 1, maxLength: 60, description: "Their name in the report"})),
})

export const Standup = Type.Object({
  name: Type.String({pattern: "^[a-z][a-z0-9_-]{0,31}$", description: "The name for the commands"}),
  time: Type.String({
    default: "9:30",
    pattern: "^([01]?[0-9]|2[0-3]):[0-5][0-9]$",
    description: "When the bot asks, such as 9:30",
  }),
  timezone: Type.String({default: "UTC", description: "The time zone of the time, such as Europe/Berlin"}),
  days: Type.Array(Weekday, {
    default: ["mon", "tue", "wed", "thu", "fri"],
    minItems: 1,
    description: "The weekdays on which the bot asks",
  }),
  holidays: Type.Array(Type.String({pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}), {
    default: [],
    description: "The dates on which it does not, such as 2026-12-25",
  }),
  minutes: Type.Integer({
    default: 120,
    minimum: 1,
    maximum: 1380,
    description: "For how many minutes people may answer before the bot posts the report",
  }),
  report: Type.Object(
    {endpoint: Type.Endpoint(), channel: Type.String({minLength: 1})},
    {description: "The channel that gets the report"},
  ),
  people: Type.Array(Person, {minItems: 1, maxItems: most.people, description: "Whom the bot asks"}),
  questions: Type.Array(Type.String({minLength: 1, maxLength: 300}), {
    default: [],
    maxItems: 10,
    description: "What the bot asks, one question after another; three usual questions if the list is empty",
  }),
})
export type Standup = Static<typeof Standup>

export const Settings = Type.Object({
  standups: Type.Array(Standup, {minItems: 1, maxItems: 20, description: "The standups, by name"}),
})

/** A person with the name in the report. `key` identifies the person in the state of a run. */
export interface Member {
  readonly key: string
  readonly endpoint: string
  readonly user: string
  readonly name: string
}

export const membersOf = ({people, report}: Standup): readonly Member[] =>
  people.map(({user, endpoint = report.endpoint, name = user}) => ({key: `${endpoint} ${user}`, endpoint, user, name}))

export const cronOf = ({time, days}: Standup): string => {
  const [hour = "0", minute = "0"] = time.split(":")
  const numbers = Weekday.enum.flatMap((day, number) => (days.includes(day) ? [number] : []))
  return `${Number(minute)} ${Number(hour)} * * ${numbers.join(",")}`
}

/** The date in this time zone, as in 2026-12-25. */
export const dayIn = (timeZone: string, at: number): string =>
  new Date(at).toLocaleDateString("sv-SE", {timeZone, dateStyle: "short"})

/** Throws if the schema cannot say what is wrong. */
export const checkStandups = (standups: readonly Standup[]): void => {
  const names = standups.map(({name}) => name)
  for (const [index, {name, timezone}] of standups.entries()) {
    if (names.indexOf(name) < index) throw new Error(`standups: there are two with the name "${name}"`)
    try {
      dayIn(timezone, 0)
    } catch {
      throw new Error(`standups: there is no time zone "${timezone}" (${name})`)
    }
  }
}
