//! Whether a server is there and takes the key, without a token being paid for.

use chat::{ErrorClass, ModelError};
use reqwest::{Method, Request};
use tokio::time::{Duration, timeout};

use super::HttpModel;
use super::exchange::{no_connection, refusal, server_of};
use crate::{error, format};

/// How long it may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a server that is there said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// It lists its models, so it takes the key.
    Lists,
    /// It answers, but lists nothing; whether it takes the key is not known.
    Answers,
}

impl HttpModel {
    /// Asks the server for its list of models.
    ///
    /// # Errors
    ///
    /// When it is not there, or refuses the key.
    pub async fn reach(&self) -> Result<Reached, ModelError> {
        let reached = self.list_models().await;
        reached.map_err(|mut error| {
            let key = self.endpoint.key.as_ref().map_or("", |key| key.expose());
            error.message = error::mask(&error.message, &[key]);
            error
        })
    }

    async fn list_models(&self) -> Result<Reached, ModelError> {
        let invalid = |_| ModelError::new(ErrorClass::BadRequest, "the base URL of the model is not valid");
        let url: reqwest::Url = format::models_url(&self.endpoint).parse().map_err(invalid)?;
        let server = server_of(&url);
        let mut request = Request::new(Method::GET, url);
        *request.headers_mut() = self.headers()?;
        let client = self.client.towards(request.url()).clone();
        let silent =
            || ModelError::new(ErrorClass::Timeout, format!("{server} was silent for {} s", PATIENCE.as_secs()));
        let answer = timeout(PATIENCE, client.execute(request)).await.map_err(|_| silent())?;
        let response = answer.map_err(|error| no_connection(&error, &server, PATIENCE))?;
        match response.status().as_u16() {
            200..300 => Ok(Reached::Lists),
            400 | 404 | 405 | 501 => Ok(Reached::Answers),
            _ => Err(refusal(response).await),
        }
    }
}
