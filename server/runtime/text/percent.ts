import {tryOr} from "../../../shared/try-or.ts"

/** Returns the text that a percent-encoded text stands for; one that is not valid stays unchanged. */
export const decodePercent = (text: string): string => tryOr(() => decodeURIComponent(text), text)
