import {type Static, Type} from "svc-runtime"

/** One standup that waits for answers. The lists hold the keys of members. */
const Run = Type.Object({
  name: Type.String(),
  run: Type.Integer(),
  endsAt: Type.Number(),
  waiting: Type.Array(Type.String()),
  skipped: Type.Array(Type.String()),
})
export type Run = Static<typeof Run>

/** The state of the plugin: the runs that wait, and the number of the last one. */
export const Runs = Type.Object({
  last: Type.Integer({default: 0}),
  open: Type.Array(Run, {default: []}),
})
export type Runs = Static<typeof Runs>

/** The answers of a user in one run. */
const Answers = Type.Object({
  name: Type.String(),
  run: Type.Integer(),
  endsAt: Type.Number(),
  answers: Type.Array(Type.String()),
})
export type Answers = Static<typeof Answers>

/** The state of a user: their runs, and the standups that they skip on a day. */
export const Mine = Type.Object({
  runs: Type.Array(Answers, {default: []}),
  skips: Type.Array(Type.Object({name: Type.String(), day: Type.String()}), {default: []}),
})
export type Mine = Static<typeof Mine>

/** Which run a timer or a question is about. */
export const Which = Type.Object({name: Type.String(), run: Type.Integer()})
export type Which = Static<typeof Which>

export const isOf = ({name, run}: Which) => {
  return (each: Which): boolean => each.name === name && each.run === run
}
