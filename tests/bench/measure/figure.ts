import {table} from "../../../cli/kit/print.ts"
import type {Pairs} from "./pairs.ts"
import type {Spread} from "./statistics.ts"

export interface Target {
  readonly is: "at least" | "at most"
  readonly value: number
}

export interface Figure {
  readonly name: string
  /** Empty for a ratio. */
  readonly unit: string
  readonly value: Spread
  /** Missing for a figure that only explains another. */
  readonly target?: Target
  /** The yardstick in the same run. */
  readonly against?: string
  readonly detail?: string
}

export type Verdict = "pass" | "short" | "no target"

export const atLeast = (value: number): Target => ({is: "at least", value})
export const atMost = (value: number): Target => ({is: "at most", value})

export const verdictOf = ({value: {median}, target}: Figure): Verdict => {
  if (target === undefined) return "no target"
  return (target.is === "at least" ? median >= target.value : median <= target.value) ? "pass" : "short"
}

/** Formats a number with three significant digits, and thousands as `k`. */
export const short = (value: number): string => {
  const size = Math.abs(value)
  if (size >= 1_000_000) return `${(value / 1_000_000).toFixed(2)}M`
  if (size >= 10_000) return `${Math.round(value / 1000)}k`
  if (size >= 100) return value.toFixed(0)
  return size >= 10 ? value.toFixed(1) : value.toFixed(2)
}

/** The results of both sides of the pairs. */
export const sides = ({subject, yardstick}: Pairs, unit: string): string =>
  `${short(subject.median)} against ${short(yardstick.median)} ${unit}`

/** The ratio of both sides, with their results in this unit. */
export const ratioOf = (name: string, pairs: Pairs, against: string, unit: string, target?: Target): Figure => ({
  name,
  unit: "",
  value: pairs.ratio,
  ...(target === undefined ? {} : {target}),
  against,
  detail: sides(pairs, unit),
})

const columns = ["figure", "median", "spread", "target", "verdict", "yardstick"] as const

export const tableOf = (figures: readonly Figure[]): string => {
  const lines = figures.map(figure => {
    const {name, unit, value, target, against = "", detail} = figure
    return [
      name,
      `${short(value.median)}${unit === "" ? "" : ` ${unit}`}`,
      `${short(value.lowest)} to ${short(value.highest)}`,
      target === undefined ? "" : `${target.is === "at least" ? "≥" : "≤"} ${short(target.value)}`,
      verdictOf(figure),
      [against, detail].filter(Boolean).join(": "),
    ]
  })
  return table(columns, lines)
}
