import type {FileElement} from "./file-source.ts"

/** The value of an attribute. The Host stores no attribute that is `undefined`. */
export type Attribute = string | number | boolean | undefined

type Text = string | undefined
type Id = string | number | undefined
type Flag = boolean | undefined

type None = Readonly<Record<never, never>>

interface Shown {
  /** An address, the result of `file`, bytes, or the `src` of a stored file. */
  readonly src?: string | FileElement | Uint8Array | undefined
  /** The name that users see; of a picture, the text that stands for it. */
  readonly title?: Text
  /** The media type, such as `image/png`. */
  readonly type?: Text
  /** In bytes. */
  readonly size?: number | undefined
}

interface Picture extends Shown {
  /** In pixels. */
  readonly width?: number | undefined
  readonly height?: number | undefined
}

interface Recording extends Shown {
  /** In seconds. */
  readonly duration?: number | undefined
  readonly poster?: Text
}

interface Cell {
  /** Where the text of a column stands; its first row decides. */
  readonly align?: "left" | "center" | "right" | undefined
}

/** Elements without attributes. */
type Styles = "b" | "strong" | "i" | "em" | "u" | "ins" | "s" | "del" | "sup" | "sub" | "span"
type Blocks = "br" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "ul" | "li" | "table" | "tr"

/**
 * The elements of messages and their attributes: those of Satori v1, and ones by their HTML names. A plugin may add its
 * own by a name with a hyphen or a colon.
 */
export interface Elements extends Readonly<Record<Styles | Blocks, None>> {
  readonly at: {readonly id?: Id; readonly name?: Text; readonly role?: Text; readonly type?: "all" | "here" | Text}
  readonly sharp: {readonly id?: Id; readonly name?: Text}
  readonly emoji: {readonly id?: Id; readonly name?: Text; readonly animated?: Flag}
  /** A link. */
  readonly a: {readonly href?: Text}
  readonly img: Picture
  readonly audio: Recording
  readonly video: Picture & Recording
  readonly file: Shown
  /** A spoiler. */
  readonly spl: None
  readonly code: {readonly lang?: Text}
  /** A block of code. */
  readonly pre: {readonly lang?: Text}
  /** Text on separate lines. */
  readonly p: None
  readonly message: {readonly id?: Id; readonly forward?: Flag}
  /** A line across. */
  readonly hr: None
  /** A numbered list. */
  readonly ol: {readonly start?: number | undefined}
  /** Quoted text. `quote` is the message that is answered. */
  readonly blockquote: None
  readonly th: Cell
  readonly td: Cell
  /** Content with a frame. `colour` is `#rrggbb`. */
  readonly card: {readonly title?: Text; readonly href?: Text; readonly colour?: `#${string}` | undefined}
  /** A title and a value in a card. `inline`: may stand beside the next one. */
  readonly "card-field": {readonly title?: Text; readonly inline?: Flag}
  /** Markdown as its only child, a text. The Host replaces it by elements when the content is queued. */
  readonly markdown: None
  /** The message that is answered, by the platform's id, or by the outbox id of one of the bot's. */
  readonly quote: {readonly id?: Id; readonly outbox?: Text; readonly name?: Text}
  readonly author: {readonly id?: Id; readonly name?: Text; readonly avatar?: Text}
  readonly button: {
    readonly id?: Id
    readonly type?: Text
    readonly href?: Text
    readonly text?: Text
    readonly theme?: Text
    readonly disabled?: Flag
  }
  readonly form: {readonly id?: Id; readonly title?: Text; readonly label?: Text}
  readonly select: {readonly placeholder?: Text}
  readonly option: {readonly id?: Id; readonly value?: Text}
  readonly field: {
    readonly name?: Text
    readonly label?: Text
    readonly description?: Text
    readonly type?: Text
    readonly required?: Flag
    readonly value?: Text
    readonly minLength?: number | undefined
    readonly maxLength?: number | undefined
    readonly minimum?: number | undefined
    readonly maximum?: number | undefined
  }
}
