mod phrasings;
mod turns;
