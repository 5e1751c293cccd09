import {dash, invisible, past, pastInvisible, pastSpaces} from "../../../shared/sdk/text/typed.ts"

/** A word that a user typed. */
export interface Word {
  /** Without the quotes around it, or around the value of `--name="…"`. */
  readonly text: string
  readonly from: number
  readonly to: number
  readonly isQuoted: boolean
}

/** Unicode's quotation marks. A mark of one kind closes a quote of that kind. */
const kinds = [`"“”„‟＂〝〞〟⹂`, "«»", "'‘’‚‛＇", "‹›", "「」｢｣﹁﹂", "『』﹃﹄"].map(marks => ({
  marks,
  /** Before a border, and not after a backslash. */
  end: new RegExp(String.raw`(?<!\\)[${marks}](?=[${invisible}]*(?:\p{White_Space}|$))`, "gu"),
  escape: new RegExp(String.raw`\\(?=[${marks}])`, "g"),
}))

const solid = /\P{White_Space}+/uy
const named = new RegExp(String.raw`[${dash}]{1,2}[^\p{White_Space}=＝]+[=＝]`, "uy")
const visible = new RegExp(`[^${invisible}]`, "u")

/** Takes the words of a text one by one, in linear time. */
export class Words {
  readonly #text: string
  #at = 0
  /** The kinds of quotes that nothing closes in the rest of the text. */
  readonly #unclosed = new Set<RegExp>()

  constructor(text: string) {
    this.#text = text
  }

  /** Returns the next visible word; undefined at the end. In prose, only the value of `--name="…"` can be quoted. */
  take(isProse = false): Word | undefined {
    for (;;) {
      const from = pastSpaces(this.#text, this.#at)
      if (from >= this.#text.length) return undefined
      const to = past(solid, this.#text, from)
      const word = this.#quoted(from, isProse) ?? {text: this.#text.slice(from, to), from, to, isQuoted: false}
      this.#at = word.to
      if (word.to > to || word.isQuoted || visible.test(word.text)) return word
    }
  }

  /** Returns the next word, which stays the next one. */
  peek(): Word | undefined {
    const at = this.#at
    const word = this.take()
    this.#at = at
    return word
  }

  /** Makes a word that was taken the next one again. */
  putBack({from}: Word): void {
    this.#at = from
  }

  /** Returns the quoted word at `from`; undefined if no quote begins there, or nothing closes it. */
  #quoted(from: number, isProse: boolean): Word | undefined {
    const start = pastInvisible(this.#text, from)
    const open = past(named, this.#text, start)
    if (open >= this.#text.length || (isProse && open === start)) return undefined
    const kind = kinds.find(({marks}) => marks.includes(this.#text.charAt(open)))
    if (kind === undefined || this.#unclosed.has(kind.end)) return undefined
    kind.end.lastIndex = open + 1
    const close = kind.end.exec(this.#text)?.index
    if (close === undefined) {
      this.#unclosed.add(kind.end)
      return undefined
    }
    const inner = this.#text.slice(open + 1, close).replace(kind.escape, "")
    return {text: this.#text.slice(start, open) + inner, from, to: close + 1, isQuoted: open === start}
  }
}
