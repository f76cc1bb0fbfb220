/** Named in every stored trace; a test fails when the table changes and this does not. */
export const VERSION = '1'
