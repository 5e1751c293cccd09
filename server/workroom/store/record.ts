import type {JournalRecord} from "../../../shared/api/workroom.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import {sha256Of} from "../../runtime/files.ts"

/** JSON with sorted keys and without white space, so that equal values have equal texts. */
export const canonical = (value: unknown): string => toJson(isSorted(value) ? value : sorted(value))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** A value whose keys are already in order is stringified directly, which is several times as fast. */
const isSorted = (value: unknown): boolean => {
  if (!isObject(value)) return true
  if (Array.isArray(value)) return value.every(isSorted)
  let before = ""
  for (const key in value) {
    if (key < before || !isSorted(value[key])) return false
    before = key
  }
  return true
}

const sorted = (value: unknown): unknown => {
  if (!isObject(value)) return value
  if (Array.isArray(value)) return value.map(sorted)
  const copy: Record<string, unknown> = {}
  for (const key of sortedKeys(value)) copy[key] = sorted(value[key])
  return copy
}

/** Insertion sort: few keys, mostly in order, for which `sort` is slow. */
const sortedKeys = (value: Readonly<Record<string, unknown>>): readonly string[] => {
  const keys: string[] = []
  for (const key in value) {
    let at = keys.length
    while (at > 0 && key < (keys[at - 1] ?? "")) at--
    if (at === keys.length) keys.push(key)
    else keys.splice(at, 0, key)
  }
  return keys
}

const hashLength = 64
const sealLength = `,"hash":""}`.length + hashLength

/** Appends the SHA-256 of a JSON object's text as its last key; returns the text and the hash. */
export const seal = (body: string): {readonly text: string; readonly hash: string} => {
  const digest = sha256Of(body)
  return {text: `${body.slice(0, -1)},"hash":"${digest}"}`, hash: digest}
}

/** The hash of a sealed text; undefined if it is not the hash of the rest. */
export const sealOf = (text: string): string | undefined => {
  const digest = text.slice(-hashLength - 2, -2)
  const body = `${text.slice(0, -sealLength)}}`
  return text.length > sealLength && text.endsWith(`,"hash":"${digest}"}`) && sha256Of(body) === digest
    ? digest
    : undefined
}

/** The predecessor of a Journal's first record: the chain begins with the authority under which it was made. */
export const genesis = (authority: string): string => sha256Of(`svc.workroom/1 ${authority}`)

/** The end of a chain: the number and hash of its last record, or 0 and the genesis of an empty chain. */
export interface Head {
  readonly seq: number
  readonly hash: string
}

/** A record with its stored text. */
export interface Recorded {
  readonly record: JournalRecord
  readonly text: string
}

export type Entry = Pick<JournalRecord, "at" | "actor" | "item" | "command">

export const chained = ({at, actor, item, command}: Entry, after: Head): Recorded => {
  const seq = after.seq + 1
  const prevHash = after.hash
  const {text, hash} = seal(canonical({actor, at, command, item, prevHash, seq}))
  return {record: {seq, at, actor, item, command, prevHash, hash}, text}
}

/** Parses a text that the chain has accepted. */
export const parseRecord = (text: string): JournalRecord => fromJson(text) as JournalRecord
