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
})

/** The newest poll of a channel: open until `endsAt`. `message` is the outbox id of the message with its buttons. */
export const Poll = Type.Object({
  number: Type.Integer({default: 0}),
  endsAt: Type.Number({default: 0}),
  by: Type.Object({id: Type.String(), name: Type.String()}, {default: {id: "", name: ""}}),
  language: Type.String({default: "en"}),
  question: Type.String({default: ""}),
  choices: Type.Array(Type.Object({choice: Type.String(), votes: Type.Integer()}), {default: []}),
  heading: Type.String({default: ""}),
  message: Type.String({default: ""}),
})
export type Poll = Static<typeof Poll>

/** The data of a button: the poll's number in its channel, and the choice, counted from 0. */
export const Vote = Type.Object({number: Type.Integer(), vote: Type.Integer()})

/** A user's vote in an open poll. */
const Ballot = Type.Object({
  channel: Type.String(),
  number: Type.Integer(),
  vote: Type.Integer(),
  endsAt: Type.Number(),
})
export const Ballots = Type.Object({open: Type.Array(Ballot, {default: []})})

/** Returns the poll after a vote that replaces the user's earlier vote `before`. */
export const withVote = (poll: Poll, vote: number, before: number | undefined): Poll => {
  const change = (index: number) => Number(index === vote) - Number(index === before)
  return {...poll, choices: poll.choices.map((each, index) => ({...each, votes: each.votes + change(index)}))}
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
