/** Of all processes of a test's board. */
export const encryptionKey = Buffer.alloc(32, 7).toString('base64')
