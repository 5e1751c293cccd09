import {setTimeout as sleep} from "node:timers/promises"
import {atMost, type Figure} from "../measure/figure.ts"
import {percentile, spreadOf} from "../measure/statistics.ts"
import {type BusyBot, eventsOfMessage} from "./busy-bot.ts"
import type {Holding, WatchedTab} from "./tab.ts"

/** The longest time from an event to the page, in milliseconds. */
const soon = 500

/**
 * How much more a page may hold at the end of a storm than at its start and in its middle, in KB. Its content varies by
 * half of this; the events of a minute, if it kept them, would be three times as much.
 */
const growth = 1024

/** The milliseconds from each message to its row in the page. */
const delays = async (bot: BusyBot, tab: WatchedTab, count: number): Promise<readonly number[]> => {
  const appeared = await tab.appeared()
  return [...(await bot.newest(count))].flatMap(([seq, came]) => {
    const at = appeared.get(seq)
    return at === undefined ? [] : [at - came]
  })
}

const delayFigure = (name: string, samples: readonly number[], count: number): Figure => ({
  name,
  unit: "ms",
  value: {...spreadOf(samples), median: percentile(samples, 0.99)},
  target: atMost(soon),
  detail: `p99; p50 ${percentile(samples, 0.5).toFixed(0)} ms, ${samples.length} of ${count} rows shown`,
})

/** One message at a time, waiting for each. */
export const quiet = async (bot: BusyBot, tab: WatchedTab, messages: number): Promise<Figure> => {
  await tab.show("inbox", "[data-seq]")
  await sleep(1000)
  for (let count = 0; count < messages; count++) {
    await bot.hear(1)
    await sleep(100 + ((count * 137) % 500))
  }
  await sleep(1000)
  return delayFigure("from a message to its row, one at a time", await delays(bot, tab, messages), messages)
}

const pages = [
  ["overview", "", "[data-heartbeat]"],
  ["inbox", "inbox", "[data-seq]"],
  ["endpoints", "endpoints", "[data-endpoint]"],
  ["events", "events", "[data-event]"],
] as const

/** A page in a storm of events: its memory at the start, in the middle and at the end, its tasks, and its delay. */
const stormOn = async (
  bot: BusyBot,
  tab: WatchedTab,
  [name, at, selector]: (typeof pages)[number],
  {rate, seconds}: {readonly rate: number; readonly seconds: number},
): Promise<readonly Figure[]> => {
  // Until the page's buffer of the stream is full.
  const first = 15
  await tab.show(at, selector)
  const messages = Math.ceil(((first + seconds + 5) * rate) / eventsOfMessage)
  await bot.chatter(messages, (1000 * eventsOfMessage) / rate)
  await sleep(first * 1000)
  const held: Holding[] = [await tab.holding()]
  const tasks: number[] = []
  for (let half = 0; half < 2; half++) {
    // Collecting the garbage is a long task that the page does not have otherwise.
    await tab.longTasks()
    await sleep((seconds * 1000) / 2)
    tasks.push(...(await tab.longTasks()).tasks)
    held.push(await tab.holding())
  }
  await sleep(6000)
  const [start, middle, end] = held
  if (start === undefined || middle === undefined || end === undefined) throw new Error("the page was not measured")
  const said = (of: (holding: Holding) => number) => held.map(holding => Math.round(of(holding))).join(", ")
  const storm: Figure = {
    name: `${name}, ${rate} events a second for ${seconds} s`,
    unit: "KB",
    value: spreadOf([end.heap - Math.max(start.heap, middle.heap)]),
    target: atMost(growth),
    detail: `heap at the end beyond the most before; at start, middle and end KB ${said(({heap}) => heap)}, nodes ${said(({nodes}) => nodes)}, listeners ${said(({listeners}) => listeners)}; longest task ${Math.max(0, ...tasks).toFixed(0)} ms`,
  }
  if (at !== "inbox") return [storm]
  return [storm, delayFigure(`${name}, from a message to its row in it`, await delays(bot, tab, messages), messages)]
}

export const storms = async (
  bot: BusyBot,
  tab: WatchedTab,
  load: {readonly rate: number; readonly seconds: number},
  wanted: readonly string[],
): Promise<readonly Figure[]> => {
  const figures: Figure[] = []
  for (const page of pages) if (wanted.includes(page[0])) figures.push(...(await stormOn(bot, tab, page, load)))
  return figures
}
