import {type Static, Type} from "svc-runtime"

export const minute = 60_000

export const most = {question: 200, choices: 10, choice: 60} as const

export const Settings = Type.Object({
  minutes: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 7 * 24 * 60,
    description: "For how many minutes people may vote: the maximum, and the default",
  }),
  multiple: Type.Boolean({default: false, description: "Users may vote for several choices, without --multiple"}),
  named: Type.Boolean({default: false, description: "The poll names who votes for what, without --named"}),
  hidden: Type.Boolean({default: false, description: "The poll shows its votes only at its end, without --hidden"}),
  permission: Type.Enum(["user", "trusted", "admin"], {
    default: "user",
    description: "The permission that users need to start a poll",
  }),
})

/** The newest poll of a channel: open until `endsAt`. `message` is the outbox id of the message with its buttons. */
export const Poll = Type.Object({
  number: Type.Integer({default: 0}),
  endsAt: Type.Number({default: 0}),
  by: Type.Object({id: Type.String(), name: Type.String()}, {default: {id: "", name: ""}}),
  language: Type.String({default: "en"}),
  question: Type.String({default: ""}),
  choices: Type.Array(
    Type.Object({choice: Type.String(), votes: Type.Integer(), names: Type.Optional(Type.Array(Type.String()))}),
    {default: []},
  ),
  voters: Type.Integer({default: 0}),
  multiple: Type.Boolean({default: false}),
  named: Type.Boolean({default: false}),
  hidden: Type.Boolean({default: false}),
  heading: Type.String({default: ""}),
  message: Type.String({default: ""}),
})
export type Poll = Static<typeof Poll>

/** The data of a button: the poll's number in its channel, and the choice, counted from 0. */
export const Vote = Type.Object({number: Type.Integer(), vote: Type.Integer()})

/** One vote of a user in an open poll, with the name that the poll shows. */
const Ballot = Type.Object({
  channel: Type.String(),
  number: Type.Integer(),
  vote: Type.Integer(),
  endsAt: Type.Number(),
  name: Type.Optional(Type.String()),
})
type Ballot = Static<typeof Ballot>
export const Ballots = Type.Object({open: Type.Array(Ballot, {default: []})})

/** A poll shows this many names of a choice, so that its state stays small. */
const mostNames = 50

const withoutName = (names: readonly string[], name: string | undefined) => {
  const at = name === undefined ? -1 : names.indexOf(name)
  return names.filter((_, index) => index !== at)
}

/** Returns the poll with a user's votes `after` in place of `before`. */
export const withVotes = (poll: Poll, before: readonly Ballot[], after: readonly Ballot[]): Poll => {
  const choices = poll.choices.map((each, index) => {
    const [old, now] = [before.find(({vote}) => vote === index), after.find(({vote}) => vote === index)]
    if (old === now) return each
    const names = withoutName(each.names ?? [], old?.name)
    if (now?.name !== undefined && names.length < mostNames) names.push(now.name)
    return {...each, votes: each.votes + Number(now !== undefined) - Number(old !== undefined), names}
  })
  return {...poll, choices, voters: poll.voters + Math.sign(after.length) - Math.sign(before.length)}
}

export const hasVotes = ({choices}: Poll): boolean => choices.some(({votes}) => votes > 0)

/** Returns the text on one line, as the poll shows it. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

/** The reason why a poll is invalid: a key of the texts, with its values. */
interface Wrong {
  readonly key: string
  readonly values: Readonly<Record<string, string | number>>
}

export const wrongWith = (
  question: string,
  choices: readonly string[],
  minutes: number,
  longest: number,
): Wrong | undefined => {
  if (question === "" || question.length > most.question) return {key: "badQuestion", values: {most: most.question}}
  if (choices.length < 2 || choices.length > most.choices) return {key: "badChoices", values: {most: most.choices}}
  const bad = choices.find(choice => choice === "" || choice.length > most.choice)
  if (bad !== undefined) return {key: "badChoice", values: {most: most.choice, choice: bad}}
  const names = choices.map(choice => choice.toLowerCase())
  const twice = choices.find((_, index) => names.indexOf(names[index] ?? "") < index)
  if (twice !== undefined) return {key: "badTwice", values: {choice: twice}}
  if (minutes < 1 || minutes > longest) return {key: "badMinutes", values: {most: longest}}
  return undefined
}
