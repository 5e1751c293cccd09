import {language} from "./language.ts"
import {dates, numbers, perLanguage} from "./locale.ts"
import {texts} from "./texts.ts"

export const number = numbers()

type Say = (count: number) => string

/**
 * Chinese uses words; other languages use the shorter symbols, without a full stop that would seem to end the sentence.
 */
const unit = (name: string, symbol: string): Say => {
  const inWords = numbers({style: "unit", unit: name, unitDisplay: "short"})
  return count => (language() === "zh" ? inWords(count) : `${number(count)} ${symbol}`)
}

const second: readonly [size: number, say: Say] = [1, unit("second", "s")]
const units = [[86_400, unit("day", "d")], [3600, unit("hour", "h")], [60, unit("minute", "min")], second] as const

/** Returns a duration in words: `3 s`, `12 min`, `2 h 5 min`, `3 d 4 h`. */
export const duration = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds))
  const index = units.findIndex(([size]) => whole >= size)
  const [size, say] = units[index] ?? second
  const [nextSize, sayNext] = units[index + 1] ?? second
  const said = say(Math.floor(whole / size))
  const rest = nextSize < 60 ? 0 : Math.floor((whole % size) / nextSize)
  return rest === 0 ? said : [said, sayNext(rest)].join(language() === "zh" ? "" : " ")
}

/** Returns the age of a time in words; `at` is a time as the API writes it. */
export const ago = (at: string, now: number): string => texts.ago(duration((now - Date.parse(at)) / 1000))

const clock = dates({hour: "2-digit", minute: "2-digit", second: "2-digit"})
const day = dates({day: "numeric", month: "short", hour: "2-digit", minute: "2-digit"})
const whole = dates({dateStyle: "medium", timeStyle: "medium"})

/** Returns the time of day for today, and the day for any other day. */
export const time = (at: string | number, now = Date.now()): string => {
  const date = new Date(at)
  return date.toDateString() === new Date(now).toDateString() ? clock(date) : day(date)
}

/** Returns a time with its day, year and seconds. */
export const fullTime = (at: string): string => whole(new Date(at))

const tenths = numbers({minimumFractionDigits: 1, maximumFractionDigits: 1})

/** Returns a value with one decimal: `4.2`. */
export const tenth = (value: number): string => tenths(value)

/** Returns a size in units of 1024: `12 KB`, `3.4 MB`. */
export const bytes = (count: number): string => {
  const names = ["B", "KB", "MB", "GB", "TB"]
  const step = Math.min(names.length - 1, Math.floor(Math.log2(Math.max(1, Math.abs(count))) / 10))
  const value = count / 1024 ** step
  return `${step === 0 || Math.abs(value) >= 100 ? Math.round(value) : tenths(value)} ${names[step]}`
}

const wholeShare = numbers({maximumFractionDigits: 0})
const exactShare = numbers({minimumFractionDigits: 2, maximumFractionDigits: 2})

/** Returns `12 %`, or with `isExact` hundredths: `99.95 %`. */
export const percent = (share: number, isExact = false): string =>
  `${(isExact ? exactShare : wholeShare)(share * 100)} %`

const lists = perLanguage(locale => new Intl.ListFormat(locale))

/** Joins names within a sentence: `a, b and c`. */
export const list = (names: readonly string[]): string => lists().format(names)

/** Returns a place in a file: `plugins/greeter.ts:3:7`. */
export const place = ({file, line, column}: {readonly file: string; readonly line: number; readonly column: number}) =>
  `${file}:${line}:${column}`

/** Returns the first part of a long id. */
export const short = (id: string): string => id.slice(0, 8)
