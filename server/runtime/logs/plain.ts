import {formatIssue, Problem} from "../../../shared/problems.ts"
import {tryOr} from "../../../shared/try-or.ts"
import {isOwnFrame} from "../own-files.ts"
import {isCredentialName, masked} from "./credentials.ts"
import type {Mask} from "./mask.ts"

/** How much of a record is kept: characters of a text and of the whole, items of a list or object, depth, causes. */
const limits = {text: 16_384, record: 65_536, items: 100, depth: 6, causes: 5, stack: 12}

const unreadable = (error: unknown): string =>
  tryOr(() => `[unreadable: ${String((error as Error).message).slice(0, 200)}]`, "[unreadable]")

/**
 * Turns values that plugins and libraries pass to the log into plain JSON data: bounded, without hidden values, and
 * without throwing, whatever a getter, a proxy or a `toJSON` does.
 */
export class Describer {
  readonly #mask: Mask
  readonly #above: object[] = []
  #left = limits.record

  constructor(mask: Mask) {
    this.#mask = mask
  }

  /** Reads a field by its name. A throwing getter affects only its own field. */
  field(name: string, ask: () => unknown): unknown {
    try {
      const value = ask()
      return isCredentialName(name) && (value ?? "") !== "" ? masked : this.value(value)
    } catch (error) {
      return this.text(unreadable(error))
    }
  }

  text(text: string): string {
    const limit = Math.min(limits.text, Math.max(0, this.#left))
    if (text.length <= limit) {
      const shown = this.#mask.text(text)
      this.#left -= shown.length
      return shown
    }
    // The mask sees a hidden value that begins before the cut completely. One that begins after it is dropped.
    const shown = this.#mask.text(text.slice(0, limit + this.#mask.reach))
    const head = shown.slice(0, Math.max(0, Math.min(limit, shown.length - this.#mask.reach)))
    this.#left -= head.length + 32
    return `${head}… [${text.length - head.length} characters cut]`
  }

  value(value: unknown): unknown {
    switch (typeof value) {
      case "string":
        return this.text(value)
      case "number":
        return this.#number(value)
      case "boolean":
      case "undefined":
        return value
      case "object":
        return value === null ? null : this.#guarded(value)
      default:
        return this.text(typeof value === "function" ? "[function]" : String(value))
    }
  }

  #number(value: number): number | string {
    if (!Number.isFinite(value)) return String(value)
    if (Math.abs(value) < 1e7) return value
    const text = String(value)
    const shown = this.#mask.text(text)
    return shown === text ? value : shown
  }

  #guarded(value: object): unknown {
    if (this.#above.includes(value)) return "[circular]"
    if (this.#left <= 0) return "[cut]"
    this.#left -= 2
    this.#above.push(value)
    try {
      return this.#object(value)
    } catch (error) {
      return this.text(unreadable(error))
    } finally {
      this.#above.pop()
    }
  }

  #object(value: object): unknown {
    if (value instanceof Error) return this.#error(value)
    if (this.#above.length > limits.depth) return Array.isArray(value) ? "[array]" : "[object]"
    if (Array.isArray(value)) return this.#list(value)
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString()
    if (value instanceof URL || value instanceof RegExp) return this.text(String(value))
    if (value instanceof Headers || value instanceof URLSearchParams || value instanceof Map) return this.#pairs(value)
    if (value instanceof Set) return this.#list(take(value.values()), value.size)
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
    if ("toJSON" in value && typeof value.toJSON === "function") return this.#again(value.toJSON())
    return this.#properties(value)
  }

  /** Describes the result of a `toJSON`, without calling the result's own `toJSON`. */
  #again(value: unknown): unknown {
    if (typeof value !== "object" || value === null || value instanceof Error) return this.value(value)
    if (Array.isArray(value)) return this.#list(value)
    return this.#properties(value)
  }

  #list(items: readonly unknown[], size = items.length): unknown[] {
    const shown = items.slice(0, limits.items).map(item => this.value(item))
    return size > shown.length ? [...shown, `[${size - shown.length} more]`] : shown
  }

  #pairs(pairs: Iterable<readonly [unknown, unknown]>): Record<string, unknown> {
    const taken = take(pairs)
    return this.#entries(
      taken.map(([key]) => key),
      index => taken[index]?.[1],
    )
  }

  #properties(value: object): unknown {
    const keys = Object.keys(value)
    const name = keys.length === 0 ? nameOf(value) : undefined
    if (name !== undefined) return `[${name}]`
    return this.#entries(keys, (_, key) => value[key as keyof typeof value])
  }

  #entries(keys: readonly unknown[], ask: (index: number, key: string) => unknown): Record<string, unknown> {
    const shown = keys.slice(0, limits.items).map((key, index): [string, unknown] => {
      const name = String(key)
      return [this.text(name), this.field(name, () => ask(index, name))]
    })
    if (keys.length > limits.items) shown.push(["…", `[${keys.length - limits.items} more]`])
    // Makes an own field of any name, including `__proto__`.
    return Object.fromEntries(shown)
  }

  #error(error: Error): object | string {
    const depth = this.#above.filter(above => above instanceof Error).length
    if (depth > limits.causes) return "[more causes]"
    const code = "code" in error && typeof error.code === "string" ? {code: this.text(error.code)} : {}
    const issues =
      error instanceof Problem && error.issues.length > 0 ? {issues: this.#list(error.issues.map(formatIssue))} : {}
    const errors = error instanceof AggregateError ? {errors: this.#list(error.errors.slice(0, limits.causes))} : {}
    return {
      name: this.text(String(error.name)),
      message: this.text(String(error.message)),
      ...code,
      ...issues,
      stack: this.#frames(error),
      ...(error.cause === undefined ? {} : {cause: this.value(error.cause)}),
      ...errors,
    }
  }

  #frames(error: Error): string[] {
    const {stack} = error
    if (typeof stack !== "string") return []
    // The message comes before the frames.
    const frames = stack
      .slice(0, limits.record)
      .split("\n")
      .map(line => line.trim())
      .filter(line => line.startsWith("at "))
    // A refusal says why: the place in svc that refuses tells nothing.
    if (error instanceof Problem && error.status < 500 && frames.every(isOwnFrame)) return []
    return frames.slice(0, limits.stack).map(line => this.text(line))
  }
}

function take<T>(items: Iterable<T>): T[] {
  const taken: T[] = []
  for (const item of items) {
    if (taken.length > limits.items) break
    taken.push(item)
  }
  return taken
}

/** Returns the class name of an object that has nothing else to show. */
const nameOf = (value: object): string | undefined => {
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name
  return typeof name === "string" && name !== "Object" ? name : undefined
}
