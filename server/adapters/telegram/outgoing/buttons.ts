import type {InlineKeyboardButton, InlineKeyboardMarkup} from "grammy/types"
import {type Element, textOf} from "../../../../shared/sdk/sdk.ts"

/** A button under a message. Its id has at most 64 bytes, the limit of Telegram's `callback_data`. */
export type Button = InlineKeyboardButton.CallbackButton | InlineKeyboardButton.UrlButton

/** Telegram's colours of buttons. `secondary` is a button without a colour. */
const styles: Readonly<Record<string, "primary" | "danger" | "success">> = {
  primary: "primary",
  danger: "danger",
  success: "success",
}

/** Returns the button for an element: one to press, or a link; undefined for any other element. */
export const buttonOf = (element: Element): Button | undefined => {
  if (element.type !== "button") return undefined
  const {id, href, theme} = element.attrs
  const text = textOf(element.children) || "…"
  const style = Object.hasOwn(styles, String(theme)) ? styles[String(theme)] : undefined
  const shown = style === undefined ? {text} : {text, style}
  if (id !== undefined) return {...shown, callback_data: String(id)}
  return href === undefined ? undefined : {...shown, url: String(href)}
}

/** How many buttons fit side by side on a phone, and their longest label. */
const row = {buttons: 3, label: 12} as const

/** Returns buttons in rows: short ones side by side, long ones in separate rows. */
export const keyboardOf = (buttons: readonly Button[]): InlineKeyboardMarkup => {
  const areShort = buttons.every(({text}) => text.length <= row.label)
  const each = areShort ? row.buttons : 1
  const rows = Math.ceil(buttons.length / each)
  return {inline_keyboard: Array.from({length: rows}, (_, n) => buttons.slice(n * each, (n + 1) * each))}
}
