import {counting} from "../counting.ts"

export const counted = counting("zh-CN")
