import {type FakeDiscord, startDiscord as openDiscord} from "../../../server/testing/platforms/discord/discord.ts"
import {startTelegram as openTelegram, type TelegramFake} from "../../../server/testing/platforms/telegram/telegram.ts"
import {whenOver} from "../host/shared.ts"

export type {FakeDiscord, TelegramFake}

/** Starts the protocol fake of Telegram until the test ends. */
export const startTelegram = (options?: Parameters<typeof openTelegram>[1]): Promise<TelegramFake> =>
  openTelegram(whenOver, options)

/** Starts the protocol fake of Discord until the test ends. */
export const startDiscord = (options?: Parameters<typeof openDiscord>[1]): Promise<FakeDiscord> =>
  openDiscord(whenOver, options)
