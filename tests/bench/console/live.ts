import {setTimeout as sleep} from "node:timers/promises"
import {atMost, type Figure} from "../measure/figure.ts"
import {percentile, spreadOf} from "../measure/statistics.ts"
import {type BusyBot, eventsOfMessage} from "./busy-bot.ts"
import type {Holding, WatchedTab} from "./tab.ts"

/** From an event to the page, at most, in milliseconds. */
const soon = 500

/**
 * What a page may hold more at the end of a storm than at its start and in its middle, in KB: what it shows varies by half
 * as much, and the events of a minute, were they kept, would be three times as much.
 */
const growth = 1024

/** From when each message came to when its row was in the page. */
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
  detail: `p99; p50 ${percentile(samples, 0.5).toFixed(0)} ms, of ${samples.length} rows that were shown of ${count}`,
})

/** One message at a time, each waited for. */
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

/** A page in a storm of events: what it holds at the start, in the middle and at the end, its tasks, and its delay. */
const stormOn = async (
  bot: BusyBot,
  tab: WatchedTab,
  [name, at, selector]: (typeof pages)[number],
  {rate, seconds}: {readonly rate: number; readonly seconds: number},
): Promise<readonly Figure[]> => {
  // Until what the page keeps of the stream is full.
  const first = 15
  await tab.show(at, selector)
  const messages = Math.ceil(((first + seconds + 5) * rate) / eventsOfMessage)
  await bot.chatter(messages, (1000 * eventsOfMessage) / rate)
  await sleep(first * 1000)
  const held: Holding[] = [await tab.holding()]
  const tasks: number[] = []
  for (let half = 0; half < 2; half++) {
    // Collecting the garbage is a long task that a page has nowhere else.
    await tab.longTasks()
    await sleep((seconds * 1000) / 2)
    tasks.push(...(await tab.longTasks()).tasks)
    held.push(await tab.holding())
  }
  await sleep(6000)
  const [start, middle, end] = held
  if (start === undefined || middle === undefined || end === undefined) throw new Error("the page was not asked")
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
