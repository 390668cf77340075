import { chatInput } from '../../board/index.js'
import { parseInput } from '../../errors/index.js'
import { fieldNamesOf } from '../field-names.js'
import { writing, type BoardOperation } from './operation.js'
import { time } from './task-json.js'

/** `?action=chat`: asks the workspace's agent. */
export const sendChat: BoardOperation = {
  ...writing,
  scope: 'chat:write',
  fields: fieldNamesOf(chatInput),
  checkFields: (body) => void parseInput(chatInput, body),
  async run({ board, body }) {
    const { reply, at } = await board.chat({
      message: body['message'] as string,
      user: body['user'] as string | null | undefined,
    })
    return `{"success":true,"reply":${JSON.stringify(reply)},"timestamp":${time(at)}}`
  },
}
