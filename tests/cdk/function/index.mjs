export const handler = async () => ({ told: "first", tide: process.env.TIDE });
